import { invalid, isApiError } from '../../src/index.ts';
import { createBoundedMap } from '../../src/store-kit.ts';
import { digestOf } from './mappings/apply.ts';
import type { RecordIdentity } from './readers/records.ts';

/**
 * How many other events may lie between identical ones that are still counted; without a limit, memory would
 * grow with the file.
 */
export const REPEATS_WINDOW = 100_000;

/**
 * Gives events without an `insertId` one that is derived from their content, so that importing a file twice
 * stores each event once. Identical events in one file are different events, like two clicks within a second,
 * so each gets its own id. An event may come with an identity of its source, which counts
 * instead of its content. Repeats are counted over the last 100,000 to 200,000 such events.
 */
export function createInsertIds(
  window: number = REPEATS_WINDOW,
): (event: unknown, identity?: RecordIdentity) => unknown {
  const counts = createBoundedMap<string, number>(2 * window);
  const countOf = (digest: string): number => {
    const count = (counts.get(digest) ?? 0) + 1;
    counts.set(digest, count);
    return count;
  };
  return (event, identity) => {
    if (typeof event !== 'object' || event === null || isApiError(event) || Array.isArray(event))
      return event;
    const { eventName, userId, eventTs, insertId, properties } = event as Record<string, unknown>;
    if (eventTs === undefined) {
      return invalid('eventTs', 'is needed on import: without it a second run could not recognise the event');
    }
    if (insertId !== undefined) return event;
    const { prefix, content } = identity ?? {
      prefix: 'import',
      content: JSON.stringify([eventName, userId, eventTs, properties]),
    };
    const digest = digestOf(content);
    return { ...event, insertId: `${prefix}-${digest}-${countOf(digest)}` };
  };
}
