import { compareCodePoints } from './text.ts';

/** Where an event stands in the order of answers. */
export interface EventPlace {
  /** When it happened, in epoch milliseconds. */
  readonly eventTs: number;
  /** What tells it from other events of that instant. */
  readonly insertId: string;
}

/** How events of the same instant follow each other, from the oldest place to the newest. */
export const compareIds = compareCodePoints;

/** The order of answers: newest first, then by id. No two events of a tenant are equal in it. */
export function compareNewestFirst(a: EventPlace, b: EventPlace): number {
  return a.eventTs === b.eventTs ? compareIds(b.insertId, a.insertId) : b.eventTs - a.eventTs;
}
