import { createHash } from 'node:crypto';
import type { IdentifiedEvent } from '../../../../adapters/sdks/messages/fields.ts';
import { toInsertId } from '../../../../src/core/compat/fields.ts';
import { parseEvent } from '../../../../src/core/event/parse-event.ts';
import { isApiError } from '../../../../src/index.ts';

/** The clock of the server that stores the events below. */
export const NOW = Date.parse('2024-05-18T10:00:01.000Z');

/** An event as it is stored, but for when it arrived. */
export function stored(event: unknown) {
  const source = { now: () => NOW, newInsertId: () => 'made' };
  const { propertiesJson, eventName, userId, eventTs, insertId } = parseEvent(event, source);
  const properties = JSON.parse(propertiesJson) as Record<string, unknown>;
  return { eventName, userId, eventTs, insertId, properties };
}

/** The same, with the id that its identity makes. */
export function storedOf({ event, identity }: IdentifiedEvent, prefix: string) {
  if (identity === undefined) return stored(event);
  const sha256 = createHash('sha256').update(identity).digest('hex');
  return stored({ ...event, insertId: toInsertId(prefix, sha256) });
}

/** What a function gives, or the text of its refusal. */
export function attempt<T>(run: () => T): T | { readonly refused: string } {
  try {
    return run();
  } catch (error) {
    if (!isApiError(error)) throw error;
    return { refused: error.message };
  }
}
