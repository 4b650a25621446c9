import * as z from 'zod';
import { NAME_LENGTH_MAX } from '../../event/event-fields.ts';
import { describes } from '../../filter/filter-schema.ts';
import type { RemoteConfigAnswer } from './web-sdk-answer.ts';

// The one description of what the web SDKs send besides events, and of what they are answered. `npm run
// validators` reads it, as answer-schema.ts.

const userId = z.string().min(1).max(NAME_LENGTH_MAX);
const nothing = z.array(z.never()).max(0);

/** The bodies and answers, by their names in OpenAPI. */
export const WEB_SDK_SCHEMAS = {
  UserPropertiesBody: z.looseObject({ userId }).describe('every other field is a property of the user'),
  PageSnapshotBody: z.looseObject({
    sessionId: userId,
    pageUrl: z.string(),
    snapshot: z.string(),
    timestamp: z.number().describe('epoch milliseconds'),
    deviceType: z.string().exactOptional(),
  }),
  RemoteConfigBody: z.looseObject({ userId: userId.nullable().exactOptional() }),
  RemoteConfig: describes<RemoteConfigAnswer>()(
    z.object({
      userId: z.string().nullable(),
      snapshotId: z.string(),
      configurations: z.record(z.string(), z.string()),
      isFinal: z.literal(true),
      qualifiedSegments: nothing,
      qualifiedRuleSets: nothing,
      timestamp: z.string().meta({ format: 'date-time' }),
      isFromCache: z.literal(false),
    }),
  ),
  ClientTrackers: z.object({ trackers: nothing }),
  DebugSession: z.object({ valid: z.literal(false) }),
} as const;
