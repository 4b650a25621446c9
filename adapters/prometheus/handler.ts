import { ApiError, requireOptions, type HttpHandler, type ServedApi } from '../../src/index.ts';
import { toErrorAnswer, type HttpResponse } from '../../src/transport-kit.ts';

/** What answers `GET /metrics`: a registry of prom-client, or anything like it. */
export interface MetricsSource {
  /** The media type of the text. */
  readonly contentType: string;
  /** The metrics as Prometheus reads them. */
  metrics(): Promise<string>;
}

/** The options of `withMetrics`. */
export interface MetricsOptions {
  /** The names by which `/metrics` is asked, next to IP addresses and `localhost`; without a port. */
  readonly names?: readonly string[] | undefined;
}

const METRICS_PATH = '/metrics';

/** A `Host` that is `localhost` or an IP address, which no page of another site can have as its name. */
const ADDRESS_PATTERN = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/i;

/**
 * Adds `GET /metrics` to an API, or to nothing but resources. Serve the result on a port that only you reach:
 * the metrics name no tenant, but they say how much goes on. It answers to IP addresses, to `localhost` and
 * to `names` only, so that no page of another site reads it through a browser.
 *
 * @example
 * ```ts
 * import { createNodeServer, nodeResources } from 'event-query/node-http';
 * import { prometheusMeter, withMetrics } from 'event-query/prometheus';
 *
 * const meter = prometheusMeter();
 * const resources = nodeResources({ meter });
 * const server = createNodeServer({ api: withMetrics({ resources }, meter.registry) });
 * const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
 * const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
 * console.log(answer.status);
 * // prints: 200
 * await server.close();
 * ```
 */
export function withMetrics(
  api: Partial<ServedApi> & Pick<ServedApi, 'resources'>,
  source: MetricsSource,
  { names = [] }: MetricsOptions = {},
): ServedApi {
  requireOptions('withMetrics', { api, source }, [], {
    api: { such: 'createApi({ stores, resources })', fields: ['resources'] },
    source: { such: 'prometheusMeter().registry', fields: ['metrics', 'contentType'] },
  });
  const { handler, resources } = api;
  const notFound: HttpHandler = (request) =>
    Promise.resolve(toErrorAnswer(new ApiError('routeNotFound'), resources.runtime.uuid(), request));
  const rest = handler ?? notFound;
  const known = new Set(names.map((name) => name.toLowerCase()));
  const places = ['IP addresses', 'localhost', ...names].join(', ');
  const refusal = `The metrics are available at ${places} only.\n`;
  const withText: HttpHandler = async (request) => {
    const path = request.target.split('?', 1)[0];
    if (path !== METRICS_PATH || !['GET', 'HEAD'].includes(request.method)) return rest(request);
    const host = (request.header('host') ?? '').replace(/:\d{1,5}$/, '').toLowerCase();
    if (!ADDRESS_PATTERN.test(host) && !known.has(host)) return toText(421, refusal);
    const text = await source.metrics();
    return toText(200, request.method === 'HEAD' ? '' : text, source.contentType);
  };
  return { handler: withText, resources };
}

function toText(status: number, body: string, type = 'text/plain; charset=utf-8'): HttpResponse {
  return {
    status,
    headers: { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
    body,
  };
}
