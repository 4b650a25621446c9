/** One route of the API. */
export interface Route {
  readonly name: string;
  /** The methods that `Allow` lists. Where browsers may send requests, it lists `OPTIONS` too. */
  readonly methods: readonly string[];
  /** The path. At most one segment of it is `{tenantId}`, and at most one after that is a parameter. */
  readonly path: string;
  /** The values that the parameter takes; absent for any. */
  readonly values?: readonly string[];
  /**
   * Who may send requests: the holder of an API key (`key`), a sender that the tenant's auth strategy accepts
   * (`strategy`), `anyone`, or an identity provider by its signature (`provider`). In the Admin API: an
   * administrator who may read the tenant (`viewer`), change it (`admin`), or change all tenants (`owner`).
   */
  readonly caller: 'key' | 'strategy' | 'anyone' | 'provider' | 'viewer' | 'admin' | 'owner';
}

/** A route that a page describes. */
export interface OwnRoute extends Route {
  /** A description of the body, for documentation. */
  readonly body: string;
  /** A description of the answer, for documentation. */
  readonly answer: string;
}

/**
 * The one table of this API's own routes: the Query API, ingestion, and the routes that describe the server
 * and its health. The handler, preflights, the OpenAPI document and the README use it.
 */
export const ROUTES = [
  {
    name: 'query',
    methods: ['POST'],
    path: '/v1/api/query/{tenantId}',
    caller: 'key',
    body:
      '`event`, `after`, `before`, `from`, `until`, `timeZone`, `filterSet`, `pagination`, `include`, ' +
      'all optional',
    answer: 'array of events',
  },
  {
    name: 'count',
    methods: ['POST'],
    path: '/v1/api/query/count/{tenantId}',
    caller: 'key',
    body: 'the same without `pagination` and `include`',
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
    body: 'as for a count, and `by`, `distinct`, `measures`, `size`, `orderBy`, `rest`',
    answer: 'the number of events in each group and what is measured, see [breakdowns](#breakdowns)',
  },
  {
    name: 'sequence',
    methods: ['POST'],
    path: '/v1/api/query/sequence/{tenantId}',
    caller: 'key',
    body:
      'as for a count, and `steps`, `within`, `order`, `without`, `same`, `distinct`, `by`, `size`, ' +
      '`percentiles`',
    answer: 'how many distinct values reached each step, see [sequences](#sequences)',
  },
  {
    name: 'users',
    methods: ['POST'],
    path: '/v1/api/query/users/{tenantId}',
    caller: 'key',
    body: 'as for a count, and `distinct`, `having`, `sequence`, `pagination`',
    answer: 'array of the distinct values by what they did, see [users](#users)',
  },
  {
    name: 'retention',
    methods: ['POST'],
    path: '/v1/api/query/retention/{tenantId}',
    caller: 'key',
    body: 'as for a count, and `steps`, `unit`, `periods`, `periodsFrom`, `distinct`',
    answer: 'how many of each cohort returned in each period, see [retention](#retention)',
  },
  {
    name: 'compare',
    methods: ['POST'],
    path: '/v1/api/query/compare/{tenantId}',
    caller: 'key',
    body: 'as for a count, and `selected`, `paths`, `size`',
    answer: 'the values whose shares of two sets of events differ most, see [what differs](#what-differs)',
  },
  {
    name: 'top',
    methods: ['POST'],
    path: '/v1/api/query/top/{tenantId}',
    caller: 'key',
    body: 'as for a count, `include`, and `of`, `order`, `size`',
    answer: 'array of the events with the largest or smallest numbers, see [top](#top)',
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
    body: 'as for a count, `include`, and the header `X-Tail-Position`',
    answer: 'array of the events that arrived since, see [the tail](#the-tail)',
  },
  {
    name: 'export',
    methods: ['POST'],
    path: '/v1/api/query/export/{tenantId}',
    caller: 'key',
    body: 'as for a count, `include`, and `pagination.cursor` or `pagination.after`',
    answer: 'every event, as NDJSON or CSV, see [exports](#exports)',
  },
  {
    name: 'explain',
    methods: ['POST'],
    path: '/v1/api/query/explain/{tenantId}',
    caller: 'key',
    body: 'that of any question, and `question`, its name; `query` when absent',
    answer: 'what the question means and how it will be answered, see [explanations](#explanations)',
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
    name: 'userProperties',
    methods: ['POST'],
    path: '/v1/events/{tenantId}/properties',
    caller: 'strategy',
    body: '`userId`, and the properties of this user, see [the web SDK](web-sdk.md)',
    answer: 'as of a batch: `{"accepted": n, "duplicates": n, "rejected": […]}`',
  },
  {
    name: 'pageSnapshot',
    methods: ['POST'],
    path: '/v1/events/{tenantId}/snapshot',
    caller: 'strategy',
    body: '`sessionId`, `pageUrl`, `snapshot`, `timestamp`, `deviceType`',
    answer: 'as of a batch: `{"accepted": n, "duplicates": n, "rejected": […]}`',
  },
  {
    name: 'remoteConfig',
    methods: ['POST'],
    path: '/v1/client/{tenantId}/config/configurations',
    caller: 'strategy',
    body: '`userId`, optional; other fields change nothing',
    answer: '`configurations`: the [remote config](web-sdk.md#remote-config), and what the SDK expects',
  },
  {
    name: 'rescueCampaigns',
    methods: ['GET'],
    path: '/v1/client/{tenantId}/rescue/campaigns',
    caller: 'strategy',
    body: 'none',
    answer: '`[]`: there are no campaigns',
  },
  {
    name: 'clientTrackers',
    methods: ['GET'],
    path: '/v1/client/{tenantId}/trackers',
    caller: 'strategy',
    body: 'none',
    answer: '`{"trackers": []}`: there are no trackers',
  },
  {
    name: 'trackers',
    methods: ['GET'],
    path: '/v1/tenant/{tenantId}/trackers',
    caller: 'strategy',
    body: 'none',
    answer: '`[]`: there are no trackers',
  },
  {
    name: 'verifyDebugSession',
    methods: ['POST'],
    path: '/v1/tenant/{tenantId}/debug-sessions/verify',
    caller: 'strategy',
    body: '`sessionId` and `domain`; it is not read',
    answer: '`{"valid": false}`: there are no debug sessions',
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
] as const satisfies readonly OwnRoute[];

/** The name of one of these routes, which the access log writes as `operation`. */
export type RouteName = (typeof ROUTES)[number]['name'];

/** A route that matches a path. */
export interface FoundRoute<R extends Route = Route> {
  readonly route: R;
  /** The tenant of the path, percent-decoded once; empty where the path has none. */
  readonly alias: string;
  /** The parameter of the path after the tenant, decoded likewise; empty where the path has none. */
  readonly parameter: string;
}

/** Makes a function that finds the route of a path in a table, or gives undefined. */
export function createFinder<R extends Route>(
  routes: readonly R[],
): (path: string) => FoundRoute<R> | undefined {
  const places = routes.map((route) => {
    return { route, fixed: withoutSlash(route.path).split(/\{\w{1,32}\}/) };
  });
  return (asked) => {
    const path = withoutSlash(asked);
    for (const { route, fixed } of places) {
      const found = segmentsBetween(path, fixed);
      if (found === undefined) continue;
      const [alias = '', parameter = ''] = found;
      if (parameter === '' || (route.values?.includes(parameter) ?? true)) return { route, alias, parameter };
    }
    return undefined;
  };
}

/**
 * A path with single slashes and none at its end: a host that is set with a slash makes two of one, and SDKs
 * differ in whether one follows.
 */
function withoutSlash(path: string): string {
  const single = path.includes('//')
    ? path
        .split('/')
        .filter((each) => each !== '')
        .join('/')
    : path;
  const begun = single.startsWith('/') || !path.startsWith('/') ? single : `/${single}`;
  return begun.length > 1 && begun.endsWith('/') ? begun.slice(0, -1) : begun;
}

/** What stands in a path between texts that are fixed; undefined where it has another form. */
function segmentsBetween(path: string, [before = '', ...after]: readonly string[]): string[] | undefined {
  if (!path.startsWith(before)) return undefined;
  const found: string[] = [];
  let at = before.length;
  for (const fixed of after) {
    const slash = path.indexOf('/', at);
    const end = slash === -1 ? path.length : slash;
    if (end === at || !path.startsWith(fixed, end)) return undefined;
    found.push(decodeSegment(path.slice(at, end)));
    at = end + fixed.length;
  }
  return at === path.length ? found : undefined;
}

/**
 * Finds the route of this API that has a path, or gives undefined. Pure, so that bundles of the engine alone
 * can leave it out.
 */
export const findRoute = /* @__PURE__ */ createFinder(ROUTES);

/** Whether pages in browsers may read the answers of a path. They never may where an API key is required. */
export function isForBrowsers(path: string, found: FoundRoute | undefined): boolean {
  if (found !== undefined) return found.route.caller === 'strategy';
  // The web SDKs request paths that do not exist here; a page that can read the 404 does not retry.
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
