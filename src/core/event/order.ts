import { compareCodePoints } from './text.ts';

/** The position of an event in the order of answers. */
export interface EventPlace {
  /** When it happened, in epoch milliseconds. */
  readonly eventTs: number;
  /** The id, which distinguishes events of the same instant. */
  readonly insertId: string;
}

/** Orders the ids of events of the same instant, from the oldest position to the newest. */
export const compareIds = compareCodePoints;

/** The order of answers: newest first, then by id. No two events of a tenant are equal in it. */
export function compareNewestFirst(a: EventPlace, b: EventPlace): number {
  return a.eventTs === b.eventTs ? compareIds(b.insertId, a.insertId) : b.eventTs - a.eventTs;
}
