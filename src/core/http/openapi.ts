import * as z from 'zod';
import { EVENT_INPUT_FIELDS, type EventField } from '../event/event-fields.ts';
import { ERRORS } from '../errors.ts';
import { entrySchema } from '../filter/filter-schema.ts';
import { breakdownBodySchema, countBodySchema, queryBodySchema } from '../query/body-schema.ts';
import { BATCH_EVENTS_MAX } from './batch.ts';
import { ROUTES, type Route, type RouteName } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

const toRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const toContent = (schema: Json, type = 'application/json'): Json => ({ [type]: { schema } });

/** The bodies of the Query API as JSON Schema (2020-12), from the zod schemas that validate them. */
function bodySchemas(): Json {
  const registry = z.registry<{ id: string }>();
  registry.add(entrySchema, { id: 'FilterEntry' });
  registry.add(queryBodySchema, { id: 'QueryBody' });
  registry.add(countBodySchema, { id: 'CountBody' });
  registry.add(breakdownBodySchema, { id: 'BreakdownBody' });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  // Inside an OpenAPI document the place of a schema is its identity.
  const plain = Object.entries(schemas).map(([id, schema]) => [
    id,
    { ...schema, $id: undefined, $schema: undefined },
  ]);
  return Object.fromEntries(plain) as Json;
}

const text = { type: 'string' };
const event: Json = {
  type: 'object',
  required: ['eventName', 'userId', 'eventTs', 'properties', 'eventDate', 'insertId'],
  properties: {
    eventName: text,
    userId: text,
    eventTs: { type: 'string', format: 'date-time' },
    properties: { type: 'object' },
    eventDate: { type: 'string', format: 'date' },
    insertId: text,
  },
};
const eventFields = Object.entries<EventField>(EVENT_INPUT_FIELDS);
const eventInput: Json = {
  type: 'object',
  required: eventFields.filter(([, { required }]) => required).map(([name]) => name),
  additionalProperties: false,
  properties: Object.fromEntries(eventFields.map(([name, { schema }]) => [name, schema])),
};
const ingestReport: Json = {
  type: 'object',
  required: ['accepted', 'duplicates', 'rejected'],
  properties: {
    accepted: { type: 'integer' },
    duplicates: { type: 'integer' },
    rejected: {
      type: 'array',
      items: { type: 'object', properties: { index: { type: 'integer' }, error: text } },
    },
  },
};

const whole = { type: 'integer', minimum: 0 };
const breakdown: Json = {
  type: 'object',
  required: ['total', 'missing', 'arrays', 'objects', 'groupsTotal', 'groups'],
  properties: {
    ...{ total: whole, missing: whole, arrays: whole, objects: whole, groupsTotal: whole },
    groups: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'count'],
        properties: { key: { type: ['string', 'number', 'boolean'] }, count: whole, distinct: whole },
      },
    },
    distinct: whole,
  },
};

/** The answers to errors, one for each status of the table of errors. */
function errorResponses(): Json {
  const statuses = [...new Set(Object.values(ERRORS).map(({ status }) => status))];
  const toResponse = (status: number): Json => {
    const texts = Object.values(ERRORS).filter((error) => error.status === status);
    return {
      description: texts.map((error) => error.pattern).join(' · '),
      content: toContent(toRef('Error')),
    };
  };
  return Object.fromEntries(statuses.map((status) => [status, toResponse(status)]));
}

/** What of an operation stands in no other table. */
interface Described {
  readonly summary: string;
  readonly answer: Json;
  readonly requestBody?: Json;
}

const json = (schema: Json, example: Json): Json => ({
  required: true,
  content: { 'application/json': { schema, example } },
});
const batch = { type: 'array', minItems: 1, maxItems: BATCH_EVENTS_MAX, items: toRef('EventInput') };
const DESCRIBED: Readonly<Record<RouteName, Described | undefined>> = {
  query: {
    summary: 'Query events',
    answer: { type: 'array', items: toRef('Event') },
    requestBody: json(toRef('QueryBody'), { event: 'order_placed', pagination: { size: 10 } }),
  },
  count: {
    summary: 'Count events',
    answer: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } },
    requestBody: json(toRef('CountBody'), { after: '2024-05-01', before: '2024-05-31' }),
  },
  breakdown: {
    summary: 'Count events by the values of a property, or by time',
    answer: toRef('Breakdown'),
    requestBody: json(toRef('BreakdownBody'), { by: 'day', distinct: 'userId' }),
  },
  eventNames: { summary: 'List distinct event names', answer: { type: 'array', items: text } },
  ingest: {
    summary: 'Store events',
    answer: toRef('IngestReport'),
    requestBody: {
      required: true,
      content: { ...toContent(batch), ...toContent(text, 'application/x-ndjson') },
    },
  },
  // Who reads the document has found it, and probes are for whoever runs the server.
  openapi: undefined,
  healthz: undefined,
  readyz: undefined,
};

const SECURITY: Readonly<Record<Route['caller'], readonly Json[]>> = {
  key: [{ apiKey: [] }],
  strategy: [{}, { secretKey: [] }, { accessToken: [] }],
  anyone: [{}],
};

function toOperation({ name: operationId, caller }: Route, { summary, answer, ...more }: Described): Json {
  const responses = { 200: { description: 'OK', content: toContent(answer) }, ...errorResponses() };
  const tenantId = { name: 'tenantId', in: 'path', required: true, schema: text, description: 'The alias.' };
  return { operationId, summary, parameters: [tenantId], responses, security: SECURITY[caller], ...more };
}

function paths(): Json {
  const described = ROUTES.flatMap((route) => {
    const operation = DESCRIBED[route.name];
    if (operation === undefined) return [];
    const methods = route.methods.map((method) => [method.toLowerCase(), toOperation(route, operation)]);
    return [[route.path, Object.fromEntries(methods)]];
  });
  return Object.fromEntries(described) as Json;
}

/**
 * The whole API as an OpenAPI 3.1 document, written from the schemas and tables that the code itself uses.
 */
export function openApiDocument(): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'event-query', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
    paths: paths(),
    components: {
      schemas: {
        ...bodySchemas(),
        Event: event,
        EventInput: eventInput,
        IngestReport: ingestReport,
        Breakdown: breakdown,
        Error: {
          type: 'object',
          required: ['error'],
          properties: { error: text },
          additionalProperties: false,
        },
      },
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        secretKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Chase <SECRET_KEY>' },
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  };
}
