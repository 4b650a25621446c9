import type { JsonSchema } from '../../../src/index.ts';
import { anyObject, instant, listOf, messageOf, text, textOrNull } from '../messages/schemas.ts';

/** A message of a protocol of calls, or a batch of messages; what else a message holds is kept as well. */
export function callMessage(calls: Readonly<Record<string, unknown>>, more: JsonSchema = {}): JsonSchema {
  return messageOf({
    batch: listOf(anyObject),
    type: { ...text, enum: Object.keys(calls) },
    event: text,
    ...{ userId: textOrNull, anonymousId: textOrNull, messageId: textOrNull },
    timestamp: instant,
    ...{ properties: anyObject, traits: anyObject, context: anyObject },
    ...more,
  });
}
