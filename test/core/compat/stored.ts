import { createHash } from 'node:crypto';
import { toInsertId, type IdentifiedEvent } from '../../../src/core/compat/fields.ts';
import { parseEvent } from '../../../src/core/event/parse-event.ts';

/** The clock of the server that stores the events below. */
export const NOW = Date.parse('2024-05-18T10:00:01.000Z');

/** An event as it is stored, with the id that its identity makes. */
export function storedOf({ event, identity }: IdentifiedEvent, prefix: string) {
  const sha256 = identity === undefined ? undefined : createHash('sha256').update(identity).digest('hex');
  const whole = sha256 === undefined ? event : { ...event, insertId: toInsertId(prefix, sha256) };
  const source = { now: () => NOW, newInsertId: () => 'made' };
  const { propertiesJson, eventName, userId, eventTs, insertId } = parseEvent(whole, source);
  const properties = JSON.parse(propertiesJson) as Record<string, unknown>;
  return { eventName, userId, eventTs, insertId, properties };
}
