import { ERRORS } from '../base/errors.ts';
import { BATCH_EVENTS_MAX } from './batch.ts';
import type { BODY_JSON_SCHEMAS } from '../query/body-validators.ts';
import type { JSON_SCHEMAS } from './schemas/json-schemas.ts';
import { ownSchemas } from './schemas/own-schemas.ts';
import type { DescribedRoute, JsonSchema, Protocol } from './protocol.ts';
import { routesOf } from './protocol-routes.ts';
import { ADMIN_ROUTES, type AdminRoute, type AdminRoutes } from './admin-routes.ts';
import type { BodySchema, BodySchemas } from '../query/findings.ts';
import { ROUTES, type Route, type RouteName } from './route.ts';

/** The name of a schema of the document. */
type SchemaName = keyof typeof JSON_SCHEMAS | keyof typeof BODY_JSON_SCHEMAS | 'ExplainBody';

const text: JsonSchema = { type: 'string' };
const toRef = (name: SchemaName): JsonSchema => ({ $ref: `#/components/schemas/${name}` });
const toArray = (name: SchemaName): JsonSchema => ({ type: 'array', items: toRef(name) });
const NO_ITEMS: JsonSchema = { type: 'array', maxItems: 0 };
const toContent = (schema: JsonSchema, type = 'application/json'): JsonSchema => ({ [type]: { schema } });

/** The answers to errors, one for each status of the table of errors. */
function errorResponses(): JsonSchema {
  const statuses = [...new Set(Object.values(ERRORS).map(({ status }) => status))];
  const toResponse = (status: number): JsonSchema => {
    const texts = Object.values(ERRORS).filter((error) => error.status === status);
    return {
      description: texts.map((error) => error.pattern).join(' · '),
      content: toContent(toRef('Error')),
    };
  };
  return Object.fromEntries(statuses.map((status) => [status, toResponse(status)]));
}

const json = (schema: JsonSchema, example: JsonSchema): JsonSchema => ({
  required: true,
  content: { 'application/json': { schema, example } },
});
/**
 * Describes the operations of `ROUTES`. It is a function so that bundles without OpenAPI can leave it out.
 */
function describeOperations(): Readonly<Record<RouteName, DescribedRoute | undefined>> {
  return {
    ...describeEvents(),
    count: {
      summary: 'Count events',
      answer: toRef('Count'),
      requestBody: json(toRef('CountBody'), { after: '2024-05-01', before: '2024-05-31' }),
    },
    breakdown: {
      summary: 'Count events by the values of a property, by time or by both, and measure their numbers',
      answer: toRef('Breakdown'),
      requestBody: json(toRef('BreakdownBody'), {
        by: 'day',
        distinct: 'userId',
        measures: [{ of: 'properties.total', take: ['sum', 'p95'] }],
      }),
    },
    ...describeUsers(),
    properties: {
      summary: 'List the property paths of events, with what they hold',
      answer: toRef('Properties'),
      queryParameters: ['event'],
    },
    explain: {
      summary:
        'Explain what a question means and how it will be answered; question names it, query when absent',
      answer: toRef('Explanation'),
      requestBody: json(toRef('ExplainBody'), { question: 'breakdown', by: 'day', after: '2024-05-01' }),
    },
    eventNames: { summary: 'List distinct event names', answer: { type: 'array', items: text } },
    ...describeIngestion(),
    ...describeWebSdk(),
    // A reader of the document has already found it, and probes are for operators of the server.
    openapi: undefined,
    healthz: undefined,
    readyz: undefined,
  };
}

/** Describes the questions whose answers are events. It is a function for the same reason. */
function describeEvents() {
  const EXAMPLE_EVENT = JSON.stringify({
    ...{ eventName: 'order_placed', userId: 'u1', eventTs: '2024-05-18T10:00:00.000Z' },
    ...{ properties: { plan: 'pro' }, eventDate: '2024-05-18', insertId: 'a1' },
  });
  return {
    query: {
      summary: 'Query events',
      answer: toArray('Event'),
      requestBody: json(toRef('QueryBody'), { event: 'order_placed', pagination: { size: 10 } }),
    },
    top: {
      summary: 'List the events with the largest or smallest numbers at a path',
      answer: toArray('Event'),
      requestBody: json(toRef('TopBody'), { of: 'properties.total', order: 'largest', size: 10 }),
    },
    export: {
      summary: 'Export every event; the header Accept says how, NDJSON when absent',
      answer: {
        byType: {
          'application/x-ndjson': { schema: text, example: `${EXAMPLE_EVENT}\n` },
          'text/csv': { schema: text, example: 'eventName,userId,eventTs,eventDate,insertId\r\n' },
        },
      },
      requestBody: json(toRef('ExportBody'), { event: 'order_placed' }),
    },
    tail: {
      summary: 'Wait for events that arrive; the header X-Tail-Position goes on behind the answer before',
      answer: toArray('Event'),
      requestBody: json(toRef('TailBody'), { event: 'order_placed' }),
      headers: ['X-Tail-Position'],
    },
  } satisfies Partial<Record<RouteName, DescribedRoute>>;
}

/** Describes the questions about users, and about what differs. It is a function for the same reason. */
function describeUsers() {
  return {
    sequence: {
      summary: 'Count who takes a sequence of steps, with percentiles of the times between them',
      answer: toRef('Sequence'),
      requestBody: json(toRef('SequenceBody'), {
        steps: [{ event: 'product_viewed' }, { event: 'order_placed' }],
        within: '7d',
        percentiles: ['p50'],
      }),
    },
    users: {
      summary: 'List users by what they did, or by how far they came in a sequence',
      answer: toArray('User'),
      requestBody: json(toRef('UsersBody'), {
        having: [
          { event: 'order_placed', atLeast: 3 },
          { event: 'refund', atMost: 0 },
        ],
        pagination: { size: 100 },
      }),
    },
    retention: {
      summary: 'Count who returns after a start, by cohorts and periods',
      answer: toRef('Retention'),
      requestBody: json(toRef('RetentionBody'), {
        steps: [{ event: 'signed_up' }, { event: 'order_placed' }],
        unit: 'week',
        periods: 8,
      }),
    },
    compare: {
      summary: 'Rank the values whose shares of the selected events and of the others differ most',
      answer: toRef('Differences'),
      requestBody: json(toRef('CompareBody'), {
        ...{ from: '2024-05-18T00:00:00Z', until: '2024-05-19T00:00:00Z' },
        selected: { from: '2024-05-18T14:00:00Z', until: '2024-05-18T15:00:00Z' },
      }),
    },
  } satisfies Partial<Record<RouteName, DescribedRoute>>;
}

/** Describes how events are stored. It is a function for the same reason. */
function describeIngestion() {
  const batch = { type: 'array', minItems: 1, maxItems: BATCH_EVENTS_MAX, items: toRef('EventInput') };
  return {
    ingest: {
      summary: 'Store events; with the header Idempotency-Key a batch that is sent again is stored once',
      answer: toRef('IngestReport'),
      headers: ['Idempotency-Key'],
      queryParameters: ['dryRun', 'writeKey'],
      requestBody: {
        required: true,
        content: { ...toContent(batch), ...toContent(text, 'application/x-ndjson') },
      },
    },
  } satisfies Partial<Record<RouteName, DescribedRoute>>;
}

/** Describes the operations for the web SDKs. It is a function for the same reason. */
function describeWebSdk() {
  return {
    userProperties: {
      summary: 'Store the properties of a user, as setProperty of the web SDK sends them',
      answer: toRef('IngestReport'),
      headers: ['Idempotency-Key'],
      requestBody: json(toRef('UserPropertiesBody'), { userId: 'u1', plan: 'pro' }),
    },
    pageSnapshot: {
      summary: 'Store a page snapshot, as the web SDKs send it',
      answer: toRef('IngestReport'),
      requestBody: json(toRef('PageSnapshotBody'), {
        ...{ sessionId: 's1', pageUrl: 'https://shop.example/', snapshot: '{}' },
        ...{ timestamp: 1_716_026_400_000, deviceType: 'desktop' },
      }),
    },
    remoteConfig: {
      summary: 'Read the remote config of a tenant',
      answer: toRef('RemoteConfig'),
      requestBody: json(toRef('RemoteConfigBody'), { userId: 'u1' }),
    },
    rescueCampaigns: { summary: 'Where the tag asks for campaigns: there are none', answer: NO_ITEMS },
    clientTrackers: { summary: 'Where the web SDK asks for trackers', answer: toRef('ClientTrackers') },
    trackers: { summary: 'Where the tag asks for trackers: there are none', answer: NO_ITEMS },
    verifyDebugSession: {
      summary: 'Where the web SDKs ask for a debug session: there is none',
      answer: toRef('DebugSession'),
    },
  } satisfies Partial<Record<RouteName, DescribedRoute>>;
}

const SECURITY: Readonly<Record<Route['caller'], readonly JsonSchema[]>> = {
  key: [{ apiKey: [] }],
  strategy: [{}, { secretKey: [] }, { writeKey: [] }, { accessToken: [] }],
  anyone: [{}],
  provider: [{}],
  viewer: [{ session: [] }, { adminKey: [] }],
  admin: [{ session: [] }, { adminKey: [] }],
  owner: [{ session: [] }, { adminKey: [] }],
};

function toParameter(place: string, name: string, schema: JsonSchema | BodySchema = text): JsonSchema {
  return { name, in: place, required: false, schema };
}

function toOperation(
  { name: operationId, caller, path, values }: Route,
  { summary, answer, headers = [], queryParameters = [], ...more }: DescribedRoute,
  parameters: BodySchemas = {},
): JsonSchema {
  const content = 'byType' in answer ? answer.byType : toContent(answer);
  const responses = { 200: { description: 'OK', content }, ...errorResponses() };
  const toPathParameter = ([, name]: RegExpExecArray): JsonSchema => {
    const schema = values === undefined || name === 'tenantId' ? text : { ...text, enum: values };
    const more = name === 'tenantId' ? { description: 'The alias.' } : {};
    return { name, in: 'path', required: true, schema, ...more };
  };
  const sent = [
    ...headers.map((name) => toParameter('header', name)),
    ...queryParameters.map((name) => toParameter('query', name)),
    ...Object.entries(parameters).map(([name, schema]) => toParameter('query', name, schema)),
  ];
  return {
    operationId,
    summary,
    parameters: [...[...path.matchAll(/\{(\w{1,32})\}/g)].map(toPathParameter), ...sent],
    responses,
    security: SECURITY[caller],
    ...more,
  };
}

function paths(protocols: readonly Protocol[], adminRoutes: readonly AdminRoute[]): JsonSchema {
  const operations = describeOperations();
  const own = ROUTES.map((route) => [route, operations[route.name]] as const);
  const others = routesOf(protocols).map((route) => [route, route.described] as const);
  const described = [...own, ...others].flatMap(([route, operation]) => {
    if (operation === undefined) return [];
    const methods = route.methods.map((method) => [method.toLowerCase(), toOperation(route, operation)]);
    return [[route.path, Object.fromEntries(methods)]];
  });
  return Object.fromEntries([...described, ...adminPaths(adminRoutes, operations)]) as JsonSchema;
}

/** The paths of the Admin API: its own routes, and the questions that it shares with the Query API. */
function adminPaths(
  routes: readonly AdminRoute[],
  operations: ReturnType<typeof describeOperations>,
): (readonly [string, JsonSchema])[] {
  return routes.map((route) => {
    const [method = ''] = route.methods;
    const described = toAdminRoute(route) ?? operations[route.name as RouteName]!;
    const named = { ...route, name: `admin.${route.name}` };
    const operation = toOperation(named, described, route.schemas?.parameters?.properties);
    return [route.path, { [method.toLowerCase()]: operation }] as const;
  });
}

/** What the row of a route says; undefined for a question, which the Query API describes. */
function toAdminRoute({ body: words, answer: answered, schemas }: AdminRoute): DescribedRoute | undefined {
  if (schemas === undefined) return undefined;
  const { body, form, answer } = schemas;
  const content = body
    ? toContent(body as JsonSchema)
    : form && toContent(form as JsonSchema, 'application/x-www-form-urlencoded');
  return {
    summary: `Administration: ${answered.replaceAll('`', '')}`,
    answer: answer as JsonSchema,
    ...(content && { requestBody: { description: words, required: true, content } }),
  };
}

function schemasOf(protocols: readonly Protocol[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(protocols.flatMap(({ schemas = {} }) => Object.entries(schemas)));
}

/**
 * The whole API as an OpenAPI 3.1 document, made from the schemas and tables that the code itself uses, and
 * from what the protocols say of themselves. `admin` holds other routes of the Admin API than its own, with
 * their schemas.
 */
export function openApiDocument(
  protocols: readonly Protocol[],
  admin: AdminRoutes = { routes: ADMIN_ROUTES, schemas: {} },
): JsonSchema {
  return {
    openapi: '3.1.0',
    info: { title: 'event-query', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    // The origin that served the document.
    servers: [{ url: '/' }],
    paths: paths(protocols, admin.routes),
    components: {
      schemas: { ...ownSchemas(), ...admin.schemas, ...schemasOf(protocols) },
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        secretKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Chase <SECRET_KEY>' },
        writeKey: {
          ...{ type: 'apiKey', in: 'query', name: 'writeKey' },
          description: 'A public write key; also as Authorization: Chase <WRITE_KEY>',
        },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-event-query-PORT' },
        adminKey: { type: 'http', scheme: 'bearer', bearerFormat: 'eqa_' },
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
}
