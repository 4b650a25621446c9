import { createHash } from 'node:crypto';
import { invalid, isApiError } from '../../../src/index.ts';

/**
 * How many other events may lie between identical ones that are still counted; without a limit, memory would
 * grow with the file.
 */
export const REPEATS_WINDOW = 100_000;

/**
 * Gives events without an `insertId` one that is derived from their content, so that importing a file twice
 * stores each event once. Identical events in one file are different events, like two clicks within a second,
 * so each gets its own id. Repeats are counted over the last 100,000 to 200,000 such events.
 */
export function createInsertIds(window: number = REPEATS_WINDOW): (event: unknown) => unknown {
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  const countOf = (digest: string): number => {
    const count = (recent.get(digest) ?? older.get(digest) ?? 0) + 1;
    if (recent.size >= window && !recent.has(digest)) {
      older = recent;
      recent = new Map();
    }
    recent.set(digest, count);
    return count;
  };
  return (event) => {
    if (typeof event !== 'object' || event === null || isApiError(event) || Array.isArray(event))
      return event;
    const { eventName, userId, eventTs, insertId, properties } = event as Record<string, unknown>;
    if (eventTs === undefined) {
      return invalid('eventTs', 'is needed on import: without it a second run could not recognise the event');
    }
    if (insertId !== undefined) return event;
    const content = JSON.stringify([eventName, userId, eventTs, properties]);
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 32);
    return { ...event, insertId: `import-${digest}-${countOf(digest)}` };
  };
}
