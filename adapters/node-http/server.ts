import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, requireOptions, type ServedApi } from '../../src/index.ts';
import { toTarget } from '../../src/transport-kit.ts';
import { acceptFrom, boundedRequest, stopsBehindFull, type BoundRequests } from './connection/accept.ts';
import { toResponse } from './exchange/answer.ts';
import { toClientError } from './exchange/refusals.ts';
import { DEFAULT_LIMITS, type NodeServerLimits } from './limits/limits.ts';
import { createIntake } from './listener.ts';
import { isLeaving, noteFlood } from './state/connection.ts';

/** What a server serves, and within which limits. */
export interface NodeServerOptions extends Partial<NodeServerLimits> {
  /** The API, of `createApi`, or another handler with its resources. */
  readonly api: ServedApi;
}

/** A server over Node's `http`. */
export interface NodeServer {
  /** Starts to listen; port 0 picks a free one. Resolves to the address; rejects when it cannot be had. */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ host: string; port: number }>;
  /**
   * Stops accepting, ends idle connections, waits up to `closeTimeoutMs` for what is in flight, then cuts
   * it off. With `idleMs`, connections without a request are left open so long before: one that is on its way
   * is still answered, as the last of its connection.
   */
  close(options?: { readonly idleMs?: number | undefined }): Promise<void>;
}

/**
 * Serves an API by Node's HTTP server, and answers by itself what never should reach the handler.
 *
 * @throws {TypeError} Where the API is missing.
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
  return createServerOf(options, boundedRequest);
}

/** The same with a class of requests of `bound`: a test plays a Node that does not stop for ours. */
export function createServerOf(options: NodeServerOptions, bound: BoundRequests): NodeServer {
  requireOptions('createNodeServer', options, ['api']);
  const limits: NodeServerLimits = { ...DEFAULT_LIMITS, ...options };
  let closed: Promise<void> | undefined;
  const { connections, exchanges, reports, sweep, tickMs } = createIntake(options.api, {
    limits,
    head: {
      target: (req) => toTarget(req.url ?? ''),
      header: (req, name) => {
        const value = req.headers[name];
        return typeof value === 'string' ? value : undefined;
      },
    },
    isClosing: () => closed !== undefined,
  });
  const server = createServer({
    IncomingMessage: bound(isFull),
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: Math.max(limits.requestTimeoutMs, limits.headersTimeoutMs),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: tickMs,
    // A repeated credential is joined, so that it is no credential: proxies disagree on which of two counts.
    joinDuplicateHeaders: true,
    // Node would refuse in its own words.
    requireHostHeader: false,
  });
  let sweeper: NodeJS.Timeout | undefined;

  server.maxHeadersCount = 0;
  server.timeout = limits.stallTimeoutMs;
  acceptFrom(server, connections);
  server.on('request', (req, res) => open(req, res, false));
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => open(req, res, true));
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => open(req, res, false));
  server.on('connect', takeOver);
  server.on('upgrade', takeOver);
  server.on('clientError', endBroken);
  server.on('timeout', endStalled);

  function open(req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void {
    const connection = connections.of(req.socket);
    // Node does not get here with a request too many; one that does loses its connection.
    if (connection === undefined || isFull(req.socket)) req.socket.destroy();
    else exchanges.open(connection, { req, res, awaitsContinue });
  }

  /** Whether a connection may not send another request, at least not before its answers are taken. */
  function isFull(socket: Socket): boolean {
    const connection = connections.of(socket);
    if (connection === undefined || isLeaving(connection) || connection.flood !== 'none') return true;
    if (connection.exchanges.length < limits.pipelinedMax) return false;
    noteFlood(connection);
    reports.note('overloaded: a connection sent too many requests at once');
    return true;
  }

  /** Ends a connection from which nothing more is read, when the answers that are due are out. */
  function takeOver(req: IncomingMessage, socket: Socket): void {
    const connection = connections.of(socket);
    if (connection === undefined) {
      socket.destroy();
      return;
    }
    connections.adopt(connection);
    const last = connection.exchanges.at(-1);
    if (last !== undefined) exchanges.breakOff(last, undefined);
    else if (req.method === 'CONNECT')
      connections.refuse(connection, toResponse(new ApiError('routeNotFound')));
    else connections.linger(connection);
  }

  /** Answers where bytes came that are no request, or where one does not come in time. */
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
    // Answers that are due come first; the last of them ends the connection.
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

  async function shutDown(idleMs: number): Promise<void> {
    // Node's own `close` of a server of HTTP would end idle connections at once.
    const stopped = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    if (idleMs > 0) await Promise.race([stopped, pause(idleMs)]);
    server.close();
    connections.destroy('idle');
    const timer = setTimeout(() => connections.destroy('all'), limits.closeTimeoutMs);
    await stopped;
    clearTimeout(timer);
    clearInterval(sweeper);
  }

  /** Says once that Node reads on where it should stop: `open` then cuts off who sends too much at once. */
  async function checkNode(): Promise<void> {
    if (await stopsBehindFull(bound)) return;
    const what = 'this version of Node reads on behind too many requests: such connections are cut off';
    options.api.resources.log.error({ node: process.version }, what);
  }

  return {
    listen: async ({ host, port }) => {
      await checkNode();
      return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port, backlog: limits.connectionsMax }, () => {
          server.off('error', reject);
          // Failing to accept, for instance for want of file descriptors, must not end the process.
          server.on('error', (err) => reports.note('the server could not accept a connection', { err }));
          sweeper = setInterval(sweep, tickMs).unref();
          resolve({ host, port: (server.address() as AddressInfo).port });
        });
      });
    },
    close: ({ idleMs = 0 } = {}) => (closed ??= shutDown(idleMs)),
  };
}
