import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requireOptions, type ServedApi } from '../../src/index.ts';
import { belowPrefix, toTarget } from '../../src/transport-kit.ts';
import { createConnections, type Connections } from './connection/connections.ts';
import type { HeadReader } from './exchange/exchange.ts';
import { createExchanges, type Exchanges } from './exchange/exchanges.ts';
import { DEFAULT_LIMITS, toTickMs, type NodeServerLimits } from './limits/limits.ts';
import { createProxyHint } from './proxy/unnamed-proxy.ts';
import { trustedProxies } from './proxy/trusted.ts';
import { createReports, type Reports } from './limits/reports.ts';

/** The parts that read requests and answer them. A server and a listener share them. */
export interface Intake {
  readonly connections: Connections;
  readonly exchanges: Exchanges;
  readonly reports: Reports;
  /** Ends requests and connections that take too long. The owner calls it every `tickMs` milliseconds. */
  readonly sweep: () => void;
  readonly tickMs: number;
}

interface IntakeOptions {
  readonly limits: NodeServerLimits;
  readonly trustProxy: readonly string[] | undefined;
  readonly head: HeadReader;
  readonly isClosing: () => boolean;
  /** Whether clients should leave, so that each answer is the last of its connection. */
  readonly isLeaving: () => boolean;
  /** The address of a socket's peer. Default: that of its network connection. */
  readonly addressOf?: (socket: Socket) => string;
}

/** The address of a socket's peer; empty where it has none any more, or is on a Unix socket. */
export const remoteAddress = ({ remoteAddress: address }: Socket): string => address ?? '';

/** Makes the parts that a server and a listener have in common. */
export function createIntake(
  { handler, resources: { memory, scheduler, log, meter, tracer } }: ServedApi,
  { limits, trustProxy = [], head, isClosing, isLeaving, addressOf = remoteAddress }: IntakeOptions,
): Intake {
  const tickMs = toTickMs(limits);
  const reports = createReports(log);
  const isTrusted = trustedProxies(trustProxy);
  const connections = createConnections({ ...limits, tickMs, isTrusted, addressOf }, () => {
    meter.count('event_query_requests_refused_total', { reason: 'connections' });
    reports.note('overloaded: connections were dropped');
  });
  const exchanges = createExchanges({
    ...{ handler, limits, connections, memory, scheduler, meter, tracer, reports },
    ...{ head, hintAtProxy: createProxyHint(log), isTrusted, isClosing, isLeaving },
  });
  return {
    ...{ connections, exchanges, reports, tickMs },
    sweep() {
      exchanges.sweep();
      connections.sweep();
      reports.flush();
    },
  };
}

/**
 * A header as the client sent it, unless the program has set it or taken it away in `req.headers` before.
 * There Node keeps only the first of some repeated headers, credentials among them, so what the client sent
 * more than once is joined: it is no credential then.
 */
function headerOf({ headers, headersDistinct }: IncomingMessage, name: string): string | undefined {
  const now = headers[name];
  const value = Array.isArray(now) ? now.join(', ') : now;
  const sent = headersDistinct[name] ?? [];
  const isAsSent = value === sent[0] || value === sent.join('; ');
  return value !== undefined && isAsSent ? sent.join(', ') : value;
}

/** The limits of a listener. The host server manages its own connections. */
export type NodeListenerLimits = Pick<
  NodeServerLimits,
  | 'answerTimeoutMs'
  | 'handlerTimeoutMs'
  | 'runningMax'
  | 'readingMax'
  | 'bodyGraceMs'
  | 'bodyRateMin'
  | 'unpackRatioMax'
  | 'delayMsMax'
>;

/** The API that a listener in a host server serves, and its limits. */
export interface NodeListenerOptions extends Partial<NodeListenerLimits> {
  /** The API from `createApi`, or another handler with its resources. */
  readonly api: ServedApi;
  /** The path prefix of the API, if the framework leaves it in `req.url` (Fastify does, Express does not). */
  readonly prefix?: string;
  /** The proxies whose word on a client's address counts, as in `createNodeServer`, but for `unix`. */
  readonly trustProxy?: readonly string[];
}

/** Answers one request of a server over HTTP/1.1; `app.use('/', listener)` and the like. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * Makes a listener for an existing `node:http` server, such as one of Express or Fastify. It reads bodies and
 * answers as `createNodeServer` does. Mount it before any middleware that reads bodies, and behind your own
 * that sets `req.headers['x-api-key']` or takes it away.
 *
 * @throws {TypeError} If the API is missing, or an entry of `trustProxy` is invalid.
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createApi } from 'event-query';
 * import { memoryStores } from 'event-query/memory';
 * import { createNodeListener, nodeResources } from 'event-query/node-http';
 *
 * const resources = nodeResources();
 * const api = createApi({ stores: memoryStores({ resources }), resources });
 * const server = createServer(createNodeListener({ api, prefix: '/analytics' }));
 * console.log(server.listening);
 * // prints: false
 * ```
 */
export function createNodeListener(options: NodeListenerOptions): NodeListener {
  requireOptions('createNodeListener', options, ['api']);
  const below = belowPrefix(options.prefix ?? '');
  const { connections, exchanges, reports, sweep, tickMs } = createIntake(options.api, {
    limits: { ...DEFAULT_LIMITS, ...options, connectionsMax: Infinity },
    trustProxy: options.trustProxy,
    head: {
      target: (req) => below(toTarget(req.url ?? '')),
      header: headerOf,
    },
    isClosing: () => false,
    isLeaving: () => false,
  });
  let sweeper: NodeJS.Timeout | undefined;

  function tick(): void {
    sweep();
    if (!connections.isEmpty || !reports.isEmpty) return;
    clearInterval(sweeper);
    sweeper = undefined;
  }

  return (req, res) => {
    // A destroyed socket would never emit `close` again.
    if (req.socket.destroyed) return;
    const connection = connections.of(req.socket) ?? connections.take(req.socket);
    if (connection === undefined) return;
    exchanges.open(connection, { req, res, awaitsContinue: false });
    sweeper ??= setInterval(tick, tickMs).unref();
  };
}
