import { compareCodePoints } from './text.ts';

/** Where an event stands in the order of answers. */
interface Place {
  readonly eventTs: number;
  readonly insertId: string;
}

/** How events of the same instant follow each other, from the oldest place to the newest. */
export const compareIds = compareCodePoints;

/** The order of answers: newest first, then by id. No two events of a tenant are equal in it. */
export function compareNewestFirst(a: Place, b: Place): number {
  return a.eventTs === b.eventTs ? compareIds(b.insertId, a.insertId) : b.eventTs - a.eventTs;
}
