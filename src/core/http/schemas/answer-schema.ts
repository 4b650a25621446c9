import * as z from 'zod';
import { RUDDERSTACK_CALLS, type RudderstackCall } from '../../compat/rudderstack.ts';
import { SEGMENT_CALLS, type SegmentCall } from '../../compat/segment.ts';
import type { IngestReport } from '../../engine/intake.ts';
import { INSERT_ID_PATTERN, NAME_LENGTH_MAX } from '../../event/event-fields.ts';
import { INCLUDABLE, type Event } from '../../event/event.ts';
import type { EventInput } from '../../event/parse-event.ts';
import type { Explanation, PathIntoArray, UnknownPath } from '../../explain/explanation.ts';
import type { UnderstoodBody } from '../../explain/understood.ts';
import { describes, entriesSchema, scalarSchema, strict } from '../../filter/filter-schema.ts';
import type { AnswerPlan, PlannedPath } from '../../query/answer-plan.ts';
import { paginationSchema } from '../../query/body-schema.ts';
import type { Breakdown, Group } from '../../query/grouping.ts';
import { WEB_SDK_SCHEMAS } from './web-sdk-schema.ts';
import { JSON_TYPES, type Properties, type Property } from '../../query/properties.ts';

// The one description of the answers of the Query API and ingestion, and of an event as clients send it.
// `npm run validators` writes from it, at build time, the JSON Schemas that OpenAPI shows.

/** A whole number of 0 or more. */
export const whole = z.int().min(0);
/** An object whose fields the sender chooses. */
export const anyObject = z.looseObject({}) as unknown as z.ZodType<object, object>;
const date = z.string().meta({ format: 'date' });

const eventName = z.string().min(1).max(NAME_LENGTH_MAX);
/** An event as JSON, which has no Date. */
type EventInputJson = Omit<EventInput, 'eventTs'> & {
  readonly eventTs?: string | number;
};

const eventInputSchema = describes<EventInputJson>()(
  strict({
    eventName,
    userId: eventName,
    eventTs: z
      .union([z.string(), z.number()])
      .describe('ISO 8601 with an offset, or epoch milliseconds')
      .exactOptional(),
    insertId: z.string().regex(INSERT_ID_PATTERN).exactOptional(),
    properties: anyObject.exactOptional(),
    eventDate: date.exactOptional(),
  }),
);

const eventSchema = describes<Event<object>>()(
  z.object({
    eventName: z.string(),
    userId: z.string(),
    eventTs: z.string().meta({ format: 'date-time' }),
    properties: anyObject,
    eventDate: date,
    insertId: z.string(),
    receivedAt: z.string().nullable().meta({ format: 'date-time' }).exactOptional(),
  }),
);

const ingestReportSchema = describes<IngestReport>()(
  z.object({
    accepted: whole,
    duplicates: whole,
    rejected: z.array(z.object({ index: whole, error: z.string() })),
    dryRun: z.literal(true).exactOptional(),
  }),
);

const id = z.string().nullable().exactOptional();
const time = z.string().describe('ISO 8601 with an offset').exactOptional();
/** A message, or a batch of messages; what else a message holds is kept as well. */
const segmentBodySchema = z.looseObject({
  batch: z.array(anyObject).exactOptional(),
  type: z.enum(Object.keys(SEGMENT_CALLS) as [SegmentCall, ...SegmentCall[]]).exactOptional(),
  event: z.string().exactOptional(),
  ...{ userId: id, anonymousId: id, messageId: id },
  timestamp: time,
  ...{ properties: anyObject.exactOptional(), traits: anyObject.exactOptional() },
  context: anyObject.exactOptional(),
});
const rudderstackBodySchema = segmentBodySchema.extend({
  type: z.enum(Object.keys(RUDDERSTACK_CALLS) as [RudderstackCall, ...RudderstackCall[]]).exactOptional(),
  originalTimestamp: time,
});

const off = z.object({ enabled: z.literal(false) });
const rudderstackConfigSchema = z.object({
  source: z.object({
    ...{ id: z.string(), name: z.string(), workspaceId: z.string(), writeKey: z.string() },
    ...{ enabled: z.literal(true), destinations: z.array(anyObject).max(0) },
    config: z.object({ statsCollection: z.object({ errors: off, metrics: off }) }),
  }),
});

const segmentSettingsSchema = z.object({
  integrations: z.object({ 'Segment.io': z.object({ apiKey: z.string(), apiHost: z.string() }) }),
  metrics: z.object({ host: z.string(), sampleRate: z.literal(0) }),
});

const posthogBodySchema = z.looseObject({
  api_key: z.string().exactOptional(),
  batch: z.array(anyObject).exactOptional(),
  sent_at: time,
  event: z.string().exactOptional(),
  distinct_id: id,
  uuid: id,
  timestamp: time,
  properties: anyObject.exactOptional(),
});
const no = z.literal(false);
const posthogConfigSchema = z.object({
  supportedCompression: z.array(z.string()),
  ...{ hasFeatureFlags: no, surveys: no, sessionRecording: no, heatmaps: no, autocaptureExceptions: no },
  ...{ capturePerformance: no, isAuthenticated: no, siteApps: z.array(anyObject).max(0) },
});
const posthogFlagsSchema = posthogConfigSchema.extend({
  ...{ flags: anyObject, featureFlags: anyObject, featureFlagPayloads: anyObject },
  errorsWhileComputingFlags: no,
});

/** A message of Mixpanel, or several of them: an event, or an update of a profile. */
const mixpanelMessageSchema = z.looseObject({
  event: z.string().exactOptional(),
  properties: anyObject.exactOptional(),
  ...{ $distinct_id: z.string().exactOptional(), $set: anyObject.exactOptional() },
});
const mixpanelBodySchema = z.union([mixpanelMessageSchema, z.array(mixpanelMessageSchema)]);

/** What Mixpanel's SDKs are answered: a number, that with a reason, or the report of an import. */
const mixpanelAnswerSchema = z.union([
  z.literal(1),
  z.object({ status: z.literal(1), error: z.string().nullable() }),
  z.object({
    ...{ code: z.literal(200), num_records_imported: whole, status: z.literal('OK') },
    failed_records: z
      .array(
        z.object({
          ...{ index: whole, $insert_id: z.string().nullable(), field: z.string(), message: z.string() },
        }),
      )
      .exactOptional(),
  }),
  // That of a dry run.
  ingestReportSchema,
]);

const amplitudeBodySchema = z.looseObject({
  api_key: z.string().exactOptional(),
  events: z.array(
    z.looseObject({
      event_type: z.string(),
      ...{ user_id: id, device_id: id, insert_id: id },
      time: z.number().describe('epoch milliseconds').exactOptional(),
      event_properties: anyObject.exactOptional(),
    }),
  ),
});

/** What Amplitude's SDKs are answered, and the report of a dry run. */
const amplitudeAnswerSchema = z.union([
  z.object({
    ...{ code: z.literal(200), events_ingested: whole, payload_size_bytes: whole, server_upload_time: whole },
    events_with_invalid_fields: z.record(z.string(), z.array(whole)).exactOptional(),
    events_with_missing_fields: z.record(z.string(), z.array(whole)).exactOptional(),
    rejected: z.array(z.object({ index: whole, error: z.string() })).exactOptional(),
  }),
  ingestReportSchema,
]);

const breakdownSchema = describes<Breakdown>()(
  z.object({
    total: whole,
    missing: whole,
    arrays: whole,
    objects: whole,
    groupsTotal: whole,
    groups: z.array(
      describes<Group>()(z.object({ key: scalarSchema, count: whole, distinct: whole.exactOptional() })),
    ),
    distinct: whole.exactOptional(),
  }),
);

const propertySchema = describes<Property>()(
  z.object({
    path: z.string(),
    types: z.partialRecord(z.enum(JSON_TYPES), whole),
    rest: whole.exactOptional(),
    arraysOfObjects: whole.exactOptional(),
    examples: z.array(scalarSchema),
  }),
);

const propertiesSchema = describes<Properties>()(
  z.object({ properties: z.array(propertySchema), more: z.boolean(), rest: whole.exactOptional() }),
);

const plannedPathSchema = describes<PlannedPath>()(
  z.object({
    path: z.string(),
    from: z.enum(['column', 'order', 'hashes', 'events', 'index']),
    read: whole,
  }),
);

const answerPlanSchema = describes<AnswerPlan>()(
  z.discriminatedUnion('by', [
    z.object({ by: z.literal('columns'), events: whole, paths: z.array(plannedPathSchema) }),
    z.object({ by: z.literal('store') }),
  ]),
);

const explanationSchema = describes<Explanation>()(
  z.object({
    query: describes<UnderstoodBody>()(
      z.object({
        filterSet: entriesSchema,
        pagination: paginationSchema,
        include: z.array(z.enum(INCLUDABLE)).exactOptional(),
      }),
    ),
    unknownPaths: z.array(
      describes<UnknownPath>()(z.object({ path: z.string(), nearest: z.array(z.string()) })),
    ),
    pathsIntoArrays: z
      .array(describes<PathIntoArray>()(z.object({ path: z.string(), array: z.string(), events: whole })))
      .exactOptional(),
    more: z.boolean(),
    plan: answerPlanSchema,
  }),
);

/** The schemas of answers and of events, by their names in OpenAPI. Request bodies have their own schemas. */
export const ANSWER_SCHEMAS = {
  Event: eventSchema,
  EventInput: eventInputSchema,
  IngestReport: ingestReportSchema,
  SegmentBody: segmentBodySchema,
  SegmentSettings: segmentSettingsSchema,
  RudderstackBody: rudderstackBodySchema,
  RudderstackConfig: rudderstackConfigSchema,
  PosthogBody: posthogBodySchema,
  PosthogConfig: posthogConfigSchema,
  PosthogFlags: posthogFlagsSchema,
  MixpanelBody: mixpanelBodySchema,
  MixpanelAnswer: mixpanelAnswerSchema,
  MixpanelFlags: z.object({ flags: z.object({}) }),
  AmplitudeBody: amplitudeBodySchema,
  AmplitudeAnswer: amplitudeAnswerSchema,
  Success: z.object({ success: z.literal(true) }),
  ...WEB_SDK_SCHEMAS,
  Count: z.object({ count: whole }),
  Breakdown: breakdownSchema,
  Properties: propertiesSchema,
  Explanation: explanationSchema,
  Error: strict({ error: z.string() }),
} as const;
