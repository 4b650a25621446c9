import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { ApiError, requireOptions, type ServedApi } from '../../src/index.ts';
import { belowHosts, toTarget } from '../../src/transport-kit.ts';
import { acceptFrom } from './connection/accept.ts';
import { createParsing } from './connection/parsing.ts';
import { toResponse } from './exchange/answer.ts';
import { toClientError } from './exchange/refusals.ts';
import { DEFAULT_LIMITS, type NodeServerLimits } from './limits/limits.ts';
import { createIntake, remoteAddress } from './listener.ts';
import { UNIX_PEER } from './proxy/trusted.ts';
import { isLeaving, noteFlood } from './state/connection.ts';
import type { Connection } from './state/states.ts';

/** The API that a server serves, and its limits. */
export interface NodeServerOptions extends Partial<NodeServerLimits> {
  /** The API from `createApi`, or another handler with its resources. */
  readonly api: ServedApi;
  /**
   * The proxies whose word on a client's address counts: addresses, networks such as `10.0.0.0/8`,
   * `loopback`, `private`, and `unix` for `listenUnix`. Default: none. They must set or extend
   * `X-Forwarded-For` or `Forwarded` in every request.
   */
  readonly trustProxy?: readonly string[];
  /**
   * Hosts of which each request is one below a path, such as `{ 'ph.example.com': '/v1/posthog/shop' }`, for
   * SDKs that drop the path of the address that they are given. Default: none.
   */
  readonly hosts?: Readonly<Record<string, string>>;
}

/** A server over Node's `http`. */
export interface NodeServer {
  /** Starts to listen; port 0 picks a free one. Resolves to the address; rejects if it is not available. */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ host: string; port: number }>;
  /**
   * Starts to listen on a Unix socket instead. The socket is removed when the server closes. Rejects if the
   * path exists, or the system allows no socket there.
   */
  listenUnix(path: string): Promise<void>;
  /**
   * Asks clients to leave before the server closes: each answer is the last of its connection from now on.
   * New connections are still taken.
   */
  drain(): void;
  /**
   * Stops accepting, ends idle connections, waits up to `closeTimeoutMs` for open requests, and then destroys
   * the rest. With `idleMs`, idle connections stay open for that many milliseconds first: a request that is
   * on its way still gets an answer, the last of its connection.
   */
  close(options?: { readonly idleMs?: number | undefined }): Promise<void>;
}

/** How long a server that closes goes on to accept, at most, while new connections come without a pause. */
const ACCEPT_WAITING_MS = 1_000;

/**
 * Serves an API with Node's HTTP server. It answers unreadable, ambiguous, late and excess requests itself,
 * and they never reach the handler.
 *
 * @throws {TypeError} If the API is missing, or an entry of `trustProxy` is invalid.
 * @example
 * ```ts
 * import { createApi } from 'event-query';
 * import { memoryStores } from 'event-query/memory';
 * import { createNodeServer, nodeResources } from 'event-query/node-http';
 *
 * const resources = nodeResources();
 * const api = createApi({ stores: memoryStores({ resources }), resources });
 * const server = createNodeServer({ api });
 * const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
 * const { status } = await fetch(`http://127.0.0.1:${port}/healthz`);
 * console.log(status);
 * // prints: 200
 * await server.close();
 * ```
 */
export function createNodeServer(options: NodeServerOptions): NodeServer {
  requireOptions('createNodeServer', options, ['api']);
  const limits: NodeServerLimits = { ...DEFAULT_LIMITS, ...options };
  const placed = belowHosts(options.hosts ?? {});
  let closed: Promise<void> | undefined;
  let isUnix = false;
  let isDraining = false;
  const { connections, exchanges, reports, sweep, tickMs } = createIntake(options.api, {
    limits,
    trustProxy: options.trustProxy,
    head: {
      target: (req) => placed(toTarget(req.url ?? ''), req.headers.host),
      header: (req, name) => {
        const value = req.headers[name];
        return typeof value === 'string' ? value : undefined;
      },
    },
    isClosing: () => closed !== undefined,
    isLeaving: () => isDraining || closed !== undefined,
    // A peer that has left has no address either, so the socket alone does not say where it came from.
    addressOf: (socket) => (isUnix ? UNIX_PEER : remoteAddress(socket)),
  });
  const server = createHttpServer(limits, tickMs);
  const parsing = createParsing(connections);
  let sweeper: NodeJS.Timeout | undefined;

  acceptFrom(server, connections, parsing);
  server.on('request', (req, res) => open(req, res, false));
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => open(req, res, true));
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => open(req, res, false));
  server.on('connect', takeOver);
  server.on('clientError', endBroken);
  server.on('timeout', endStalled);

  function open(req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void {
    const connection = connections.of(req.socket);
    if (connection === undefined) req.socket.destroy();
    else if (isFull(connection)) refuseSurplus(connection);
    else exchanges.open(connection, { req, res, awaitsContinue });
  }

  /** Whether a connection may not send another request, at least until the client has taken its answers. */
  function isFull(connection: Connection): boolean {
    if (isLeaving(connection) || connection.flood !== 'none') return true;
    if (connection.exchanges.length < limits.pipelinedMax) return false;
    noteFlood(connection);
    reports.note('overloaded: a connection sent too many requests at once');
    return true;
  }

  /** Leaves a request unanswered, and ends its connection once the answers before it are sent. */
  function refuseSurplus(connection: Connection): void {
    parsing.stopFlood(connection.socket);
    const last = connection.exchanges.at(-1);
    if (last === undefined) connections.linger(connection);
    else exchanges.breakOff(last, undefined);
  }

  /** Refuses a tunnel. Node parses no more of its connection. */
  function takeOver({ socket }: IncomingMessage): void {
    const connection = connections.of(socket);
    if (connection === undefined) {
      socket.destroy();
      return;
    }
    parsing.stop(socket);
    connections.adopt(connection);
    const last = connection.exchanges.at(-1);
    if (last !== undefined) exchanges.breakOff(last, undefined);
    else connections.refuse(connection, toResponse(new ApiError('routeNotFound')));
  }

  /**
   * Answers bytes that are no request, or a request that does not arrive in time, and ends the connection.
   */
  function endBroken(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = connections.of(socket);
    const refusal = toClientError(error);
    if (connection === undefined || refusal === undefined || !socket.writable) {
      if (connection?.phase.at !== 'ending') socket.destroy();
      return;
    }
    if (isLeaving(connection)) return;
    const last = connection.exchanges.at(-1);
    if (last === undefined) {
      if (connection.phase.at === 'skipping') socket.destroy();
      else connections.refuse(connection, toResponse(refusal));
      return;
    }
    // Pending answers come first; the last of them ends the connection.
    connections.lingerAfterAnswer(connection);
    exchanges.breakOff(last, refusal);
  }

  function endStalled(socket: Socket): void {
    const unanswered = connections.of(socket)?.exchanges.filter(({ phase }) => phase.at !== 'writing') ?? [];
    if (unanswered.length === 0) socket.destroy();
    for (const exchange of unanswered) {
      if (exchange.phase.at === 'reading') exchanges.breakOff(exchange, new ApiError('requestTimeout'));
    }
  }

  /**
   * Waits for a turn of the event loop in which no connection was accepted. Node accepts one in a turn, and
   * those that are still in the kernel when the socket closes are reset, with the requests that they sent.
   * The turn that runs has looked for connections already, so it does not count.
   */
  async function acceptWaiting(): Promise<void> {
    let accepted = 1;
    const count = () => (accepted += 1);
    server.on('connection', count);
    const until = performance.now() + ACCEPT_WAITING_MS;
    await nextTurn();
    while (accepted > 0 && performance.now() < until) {
      accepted = 0;
      await nextTurn();
    }
    server.off('connection', count);
  }

  async function shutDown(idleMs: number): Promise<void> {
    if (idleMs > 0) await acceptWaiting();
    // `close` of an HTTP server would end idle connections at once; that of a net server does not.
    const stopped = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    if (idleMs > 0) {
      await Promise.race([stopped, pause(idleMs)]);
      // A timer fires before what has arrived meanwhile is read: a request may be waiting in its socket.
      await nextTurn();
    }
    server.close();
    connections.destroy('idle');
    const timer = setTimeout(() => connections.destroy('all'), limits.closeTimeoutMs);
    await stopped;
    clearTimeout(timer);
    clearInterval(sweeper);
  }

  async function listenAt(place: { host: string; port: number } | { path: string }): Promise<void> {
    requireNode();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...place, backlog: limits.connectionsMax }, () => {
        server.off('error', reject);
        // A failure to accept, for instance for lack of file descriptors, must not end the process.
        server.on('error', (err) => reports.note('the server could not accept a connection', { err }));
        sweeper = setInterval(sweep, tickMs).unref();
        resolve();
      });
    });
  }

  return {
    listen: async ({ host, port }) => {
      await listenAt({ host, port });
      return { host, port: (server.address() as AddressInfo).port };
    },
    listenUnix: (path) => {
      isUnix = true;
      return listenAt({ path });
    },
    drain: () => void (isDraining = true),
    close: ({ idleMs = 0 } = {}) => (closed ??= shutDown(idleMs)),
  };
}

/** Throws an Error in a runtime whose `node:http` has the names of Node's, but not its sockets. */
function requireNode(): void {
  const other = ['bun', 'deno'].find((name) => process.versions[name] !== undefined);
  if (other === undefined) return;
  const what = `this server needs Node, and this is ${other} ${process.versions[other]}`;
  throw new Error(`${what}; there, serve the handler of event-query/fetch`);
}

/** Makes the server of Node that reads requests within these limits. */
function createHttpServer(limits: NodeServerLimits, tickMs: number): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: tickMs,
    // Joining makes a repeated credential invalid: proxies disagree on which of the two counts.
    joinDuplicateHeaders: true,
    // Node would answer in its own words; `findAmbiguity` makes this check instead.
    requireHostHeader: false,
  });
  server.maxHeadersCount = 0;
  server.timeout = limits.stallTimeoutMs;
  return server;
}
