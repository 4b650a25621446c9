/** One place of the API. */
export interface Route {
  readonly name: string;
  /** As `Allow` lists them, beside `OPTIONS` where browsers may come. */
  readonly methods: readonly string[];
  /** At most one segment of it is `{tenantId}`. */
  readonly path: string;
  /**
   * Who may come: the holder of an API key, whom the tenant's strategy lets in, or anyone; of the Admin API,
   * whoever may look at the tenant, who may change it, or who may change all that there are; an identity
   * provider by its signature.
   */
  readonly caller: 'key' | 'strategy' | 'anyone' | 'provider' | 'viewer' | 'admin' | 'owner';
  /** What is sent, for documents. */
  readonly body: string;
  /** What is answered, for documents. */
  readonly answer: string;
}

/**
 * The one table of routes: the handler, preflights, the OpenAPI document and the README are made of it
 * (the Query API's three questions, those beside them, ingestion, and what tells of the server).
 */
export const ROUTES = [
  {
    name: 'query',
    methods: ['POST'],
    path: '/v1/api/query/{tenantId}',
    caller: 'key',
    body: '`event`, `after`, `before`, `filterSet`, `pagination`, all optional',
    answer: 'array of events',
  },
  {
    name: 'count',
    methods: ['POST'],
    path: '/v1/api/query/count/{tenantId}',
    caller: 'key',
    body: 'the same without `pagination`',
    answer: '`{"count": n}`',
  },
  {
    name: 'eventNames',
    methods: ['GET'],
    path: '/v1/api/query/events/{tenantId}',
    caller: 'key',
    body: 'none',
    answer: 'array of the distinct event names, ascending',
  },
  {
    name: 'breakdown',
    methods: ['POST'],
    path: '/v1/api/query/breakdown/{tenantId}',
    caller: 'key',
    body: 'as for a count, and `by`, `distinct`, `size`',
    answer: 'the number of events in each group, see [breakdowns](#breakdowns)',
  },
  {
    name: 'properties',
    methods: ['GET'],
    path: '/v1/api/query/properties/{tenantId}',
    caller: 'key',
    body: 'none; `?event=NAME` for the events of one name',
    answer: 'every property path with types and examples, see [properties](#properties)',
  },
  {
    name: 'tail',
    methods: ['POST'],
    path: '/v1/api/query/tail/{tenantId}',
    caller: 'key',
    body: 'as for a count, and the header `X-Tail-Position`',
    answer: 'array of the events that arrived since, see [the tail](#the-tail)',
  },
  {
    name: 'export',
    methods: ['POST'],
    path: '/v1/api/query/export/{tenantId}',
    caller: 'key',
    body: 'as for a count, and `pagination.cursor` or `pagination.after`',
    answer: 'every event, as NDJSON or CSV, see [exports](#exports)',
  },
  {
    name: 'explain',
    methods: ['POST'],
    path: '/v1/api/query/explain/{tenantId}',
    caller: 'key',
    body: 'as for a query',
    answer: 'what the query means and how it will be answered, see [explanations](#explanations)',
  },
  {
    name: 'ingest',
    methods: ['POST'],
    path: '/v1/events/{tenantId}/multi',
    caller: 'strategy',
    body: '1 to 2,000 events: a JSON array (`text/plain` too), or NDJSON as `application/x-ndjson`',
    answer: '`{"accepted": n, "duplicates": n, "rejected": […]}`',
  },
  {
    name: 'openapi',
    methods: ['GET'],
    path: '/v1/openapi.json',
    caller: 'anyone',
    body: 'none',
    answer: 'this API as an OpenAPI 3.1 document',
  },
  {
    name: 'healthz',
    methods: ['GET', 'HEAD'],
    path: '/healthz',
    caller: 'anyone',
    body: 'none',
    answer: '200 while the process is up',
  },
  {
    name: 'readyz',
    methods: ['GET', 'HEAD'],
    path: '/readyz',
    caller: 'anyone',
    body: 'none',
    answer: '200 while the stores answer and no request waits longer than a second for its turn, else 503',
  },
] as const satisfies readonly Route[];

/** The name of a route: what the access log calls the operation. */
export type RouteName = (typeof ROUTES)[number]['name'];

/** A place that was found. */
export interface FoundRoute<R extends Route = (typeof ROUTES)[number]> {
  readonly route: R;
  /** The tenant of the path, percent-decoded once; empty where the path has none. */
  readonly alias: string;
}

const ALIAS_SEGMENT = '{tenantId}';

/** Makes what finds the place of a path in a table, or undefined. */
export function createFinder<R extends Route>(
  routes: readonly R[],
): (path: string) => FoundRoute<R> | undefined {
  const places = routes.map((route) => {
    const [before = '', after] = route.path.split(ALIAS_SEGMENT);
    return { route, before, after };
  });
  return (path) => {
    for (const { route, before, after } of places) {
      if (after === undefined) {
        if (path === before) return { route, alias: '' };
        continue;
      }
      const end = path.length - after.length;
      if (end <= before.length || !path.startsWith(before) || !path.endsWith(after)) continue;
      const segment = path.slice(before.length, end);
      if (!segment.includes('/')) return { route, alias: decodeSegment(segment) };
    }
    return undefined;
  };
}

/** Finds the place of a path, or undefined. Pure, so that a bundle of the engine alone can leave it out. */
export const findRoute = /* @__PURE__ */ createFinder(ROUTES);

/** Whether pages of browsers may read what a path answers: never what a key opens. */
export function isForBrowsers(path: string, found: FoundRoute | undefined): boolean {
  if (found !== undefined) return found.route.caller === 'strategy';
  // The web SDKs ask for more than there is; a page that may read the 404 does not ask again.
  return path.startsWith('/v1/') && !path.startsWith('/v1/api/') && !path.startsWith('/v1/admin/');
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    // No alias holds a percent sign, so a malformed escape names a tenant that does not exist.
    return segment;
  }
}
