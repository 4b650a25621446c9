import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  ApiError,
  errorResponse,
  jsonHeaders,
  overloaded,
  toLogPath,
  unavailable,
  type HttpHandler,
  type Logger,
} from '../../src/index.ts';
import { joinBody, writeAnswer, type WholeResponse } from './answer.ts';
import { toClientError } from './client-error.ts';
import { createConnections } from './connections.ts';
import { createExchange, type Exchange } from './exchange.ts';
import { findAmbiguity } from './head.ts';
import { DEFAULT_LIMITS, toTickMs, type NodeServerLimits } from './limits.ts';
import { createLoad } from './load.ts';
import { createTurns } from './turns.ts';

export interface NodeServerOptions extends Partial<NodeServerLimits> {
  readonly handler: HttpHandler;
  readonly log: Logger;
}

/** A server over Node's `http`. */
export interface NodeServer {
  /** Starts to listen; port 0 picks a free one. Resolves to the address; rejects when it cannot be had. */
  listen(address: { readonly host: string; readonly port: number }): Promise<{ host: string; port: number }>;
  /**
   * Stops accepting, ends idle connections, waits up to `closeTimeoutMs` for what is in flight, then cuts
   * it off.
   */
  close(): Promise<void>;
}

/**
 * The largest unread body that is skipped so that its connection can be used again; behind a larger one it
 * ends.
 */
const SKIPPED_BODY_BYTES_MAX = 65_536;
const HEALTH_TARGETS: readonly string[] = ['/healthz', '/readyz'];

/** Serves a handler by Node's HTTP server, and answers by itself what never should reach the handler. */
export function createNodeServer({ handler, log, ...given }: NodeServerOptions): NodeServer {
  const limits: NodeServerLimits = { ...DEFAULT_LIMITS, ...given };
  const tickMs = toTickMs(limits);
  const handlerTicks = Math.ceil(limits.handlerTimeoutMs / tickMs);
  const answerTicks = Math.ceil(limits.answerTimeoutMs / tickMs);
  const load = createLoad(limits, tickMs);
  const exchanges = new Set<Exchange>();
  const server = createServer({
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
  const connections = createConnections(server, tickMs);
  const turns = createTurns(server, load, limits);
  let sweeper: NodeJS.Timeout | undefined;
  let closed: Promise<void> | undefined;
  let shed = 0;

  server.maxConnections = limits.connectionsMax;
  server.maxHeadersCount = 0;
  server.timeout = limits.stallTimeoutMs;
  server.on('request', (req, res) => begin(req, res, false));
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => begin(req, res, true));
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => begin(req, res, false));
  server.on('connect', (_req, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    connections.refuse(socket, toResponse(new ApiError('routeNotFound')));
  });
  server.on('clientError', endBroken);
  server.on('timeout', endStalled);

  function begin(req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean): void {
    if (connections.ignores(req)) return;
    const exchange = createExchange(req, res, { load, turns }, awaitsContinue);
    exchange.closes = findAmbiguity(exchange) !== undefined;
    if (exchange.closes) connections.lingerAfterAnswer(req.socket);
    const work = (late: boolean) => {
      const refusal = refuse(exchange, late);
      const answered = refusal === undefined ? handler(exchange).then(joinBody) : Promise.reject(refusal);
      void answered.catch(toResponse).then((response) => settle(exchange, response));
    };
    const admitted = load.admits();
    exchanges.add(exchange);
    load.inFlight += 1;
    if (admitted) turns.take(work);
    else work(true);
  }

  function refuse(exchange: Exchange, late: boolean): ApiError | undefined {
    if (!late || HEALTH_TARGETS.includes(exchange.target)) return findAmbiguity(exchange);
    shed += 1;
    return overloaded();
  }

  function settle(exchange: Exchange, response: WholeResponse): void {
    exchange.handled = true;
    if (exchange.phase !== 'answered') {
      load.noteDone(exchange.sinceTick);
      answer(exchange, response);
      return;
    }
    load.abandoned -= 1;
    if (!exchanges.has(exchange)) load.release(exchange);
  }

  function answer(exchange: Exchange, response: WholeResponse): void {
    const { req, res } = exchange;
    exchange.phase = 'answered';
    exchange.fail = undefined;
    if (req.socket.destroyed) {
      end(exchange);
      return;
    }
    if (closed !== undefined) exchange.closes = true;
    if (!req.complete) skipBody(exchange);
    writeAnswer(exchange, response);
    if (res.socket?.writableLength === 0) {
      end(exchange);
      return;
    }
    // The client takes the answer slower than it was written, or waits for an earlier one on the same
    // connection.
    exchange.sinceTick = load.ticks;
    load.note(exchange, response.body.length);
    res.once('close', () => end(exchange));
  }

  /** Decides what becomes of a connection whose request is answered before its body has come. */
  function skipBody(exchange: Exchange): void {
    const length = exchange.header('content-length') ?? '0';
    const chunked = exchange.header('transfer-encoding') !== undefined;
    if (!chunked && length === '0') return;
    if (chunked || Number(length) > SKIPPED_BODY_BYTES_MAX || exchange.awaitsContinue) exchange.closes = true;
    if (exchange.closes) connections.lingerAfterAnswer(exchange.req.socket);
    else connections.skip(exchange.req);
  }

  function end(exchange: Exchange): void {
    if (!exchanges.delete(exchange)) return;
    load.inFlight -= 1;
    if (exchange.handled) load.release(exchange);
  }

  /** Answers where bytes came that are no request, or where one does not come in time. */
  function endBroken(error: NodeJS.ErrnoException, socket: Socket): void {
    const refusal = toClientError(error);
    if (connections.isEnding(socket) || connections.isLeaving(socket)) return;
    if (refusal === undefined || !socket.writable) {
      socket.destroy();
      return;
    }
    const open = exchangesOf(socket);
    const last = open.at(-1);
    if (last === undefined) {
      if (connections.isSkipping(socket)) socket.destroy();
      else connections.refuse(socket, toResponse(refusal));
      return;
    }
    // Answers that are due come first; the last of them ends the connection.
    if (last.phase === 'answered') socket.destroySoon();
    else breakOff(last, refusal);
  }

  function breakOff(exchange: Exchange, error: ApiError): void {
    exchange.closes = true;
    if (exchange.req.complete) return;
    exchange.failure = error;
    exchange.fail?.(error);
  }

  function endStalled(socket: Socket): void {
    const unanswered = exchangesOf(socket).filter(({ phase }) => phase !== 'answered');
    if (unanswered.length === 0) socket.destroy();
    for (const exchange of unanswered) {
      if (exchange.phase === 'reading') breakOff(exchange, new ApiError('requestTimeout'));
    }
  }

  function exchangesOf(socket: Socket): Exchange[] {
    return [...exchanges].filter(({ req }) => req.socket === socket);
  }

  function sweep(): void {
    load.tick();
    for (const exchange of exchanges) {
      const age = load.ticks - exchange.sinceTick;
      if (exchange.phase === 'running' && age > handlerTicks) giveUp(exchange);
      if (exchange.phase === 'answered' && (age > answerTicks || exchange.req.socket.destroyed)) {
        exchange.req.socket.destroy();
        end(exchange);
      }
    }
    connections.sweep();
    if (shed > 0) log.error({ requests: shed, inFlight: load.inFlight }, 'overloaded: requests were refused');
    shed = 0;
  }

  /** Answers for a handler that does not; when it comes back, its answer is dropped. */
  function giveUp(exchange: Exchange): void {
    const requestId = randomUUID();
    const path = toLogPath(exchange.target);
    log.error({ requestId, method: exchange.method, path, status: 503 }, 'request timed out');
    load.abandoned += 1;
    answer(exchange, errorResponse(unavailable(undefined), jsonHeaders(requestId)));
  }

  async function shutDown(): Promise<void> {
    const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
    connections.destroyExcept(new Set([...exchanges].map(({ req }) => req.socket)));
    const timer = setTimeout(() => connections.destroyExcept(new Set()), limits.closeTimeoutMs);
    await stopped;
    clearTimeout(timer);
    clearInterval(sweeper);
  }

  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port, backlog: limits.connectionsMax }, () => {
          server.off('error', reject);
          // Failing to accept, for instance for want of file descriptors, must not end the process.
          server.on('error', (err) => log.error({ err }, 'the server could not accept a connection'));
          sweeper = setInterval(sweep, tickMs).unref();
          resolve({ host, port: (server.address() as AddressInfo).port });
        });
      }),
    close: () => (closed ??= shutDown()),
  };
}

function toResponse(error: unknown): WholeResponse {
  return errorResponse(error, jsonHeaders(randomUUID()));
}
