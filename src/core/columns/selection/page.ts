import type { Reservation } from '../../bounds/memory-budget.ts';
import { compareIds } from '../../event/order.ts';
import type { EventLog } from '../log/log.ts';
import type { CountTools } from './count.ts';
import { createCursor, type Cursor } from './cursor.ts';
import { pruneSegment } from './prune.ts';
import type { SelectorAt } from './selector.ts';
import { skipNewest } from './skip.ts';
import { lastInstant, type PlaceSpan } from './spans.ts';
import { PRUNED_ROWS_MIN } from '../log/sizes.ts';

/** How many times a row is looked at between two pauses: some milliseconds. */
const STEP_LOOKS = 1_048_576;
/** What it takes to read an id, in looks at rows. */
const ID_LOOKS = 4096;

/** What a walk works with. */
export interface WalkTools extends CountTools {
  readonly log: EventLog;
  readonly selectorAt: SelectorAt;
  readonly reservation: Reservation;
}

/**
 * The selected rows of a page, newest first: by `eventTs` descending, then by `insertId` descending, without
 * the first `offset`, at most `size` of them. Segments are merged, each from its end. Mostly one lies after
 * all others, and is walked alone.
 */
export async function walkDown(
  places: readonly PlaceSpan[],
  { offset, size }: { readonly offset: number; readonly size: number },
  tools: WalkTools,
): Promise<readonly number[]> {
  if (size <= 0) return [];
  const { selectorAt, pacer } = tools;
  const left = await skipNewest(places, offset, selectorAt, tools);
  const merge = createMerge(left.places, tools);
  const rows: number[] = [];
  let { toSkip } = left;
  while (rows.length < size) {
    const pause = merge.isTired() ? pacer.yieldIfDue() : undefined;
    if (pause !== undefined) await pause;
    const next = merge.next();
    if (next === undefined) break;
    const { cursor, others } = next;
    if (cursor.isFound) toSkip = cursor.take(rows, size, others, toSkip);
    else merge.note(cursor.look(toSkip + size - rows.length));
  }
  return rows;
}

/** A cursor whose next row may be the next one of all, and the newest instant that other rows can have. */
interface Next {
  readonly cursor: Cursor;
  readonly others: number;
}

function createMerge(places: readonly PlaceSpan[], { log, selectorAt, reservation }: WalkTools) {
  /** Places of segments that were not begun, the newest last. */
  const waiting = places.toSorted((a, b) => lastInstant(a) - lastInstant(b));
  let cursors: Cursor[] = [];
  let walked = 0;
  let looks = 0;

  function begin(place: PlaceSpan): void {
    const { sorted, from, to } = place;
    const selector = selectorAt(sorted.segment);
    // A long walk means that matches are rare. Only then do zone maps pay.
    const isNone = walked >= PRUNED_ROWS_MIN && pruneSegment(selector, sorted.segment) === 'skip';
    if (isNone) walked += to - from;
    else cursors.push(createCursor(place, selector, { log, reservation }));
  }

  /** The cursor of the newest row, among those whose next rows have one instant. */
  function chooseById(instant: number): Cursor {
    const same = cursors.filter(({ bound }) => bound === instant);
    const unknown = same.find(({ isFound }) => !isFound);
    if (unknown !== undefined) return unknown;
    looks += same.length * ID_LOOKS;
    const ids = same.map((cursor) => cursor.id());
    const greatest = ids.reduce((most, id) => (compareIds(id, most) > 0 ? id : most));
    return same[ids.indexOf(greatest)]!;
  }

  return {
    /** Whether it has looked at so many rows that a pause may be due. */
    isTired(): boolean {
      if (looks < STEP_LOOKS) return false;
      looks = 0;
      return true;
    },
    next(): Next | undefined {
      for (;;) {
        let newest: Cursor | undefined;
        let [most, others] = [-Infinity, -Infinity];
        let isAnyAtEnd = false;
        for (const cursor of cursors) {
          const { bound } = cursor;
          isAnyAtEnd ||= bound === -Infinity;
          if (bound > most) [newest, most, others] = [cursor, bound, most];
          else if (bound > others) others = bound;
        }
        looks += cursors.length;
        if (isAnyAtEnd) cursors = cursors.filter(({ bound }) => bound !== -Infinity);
        const last = waiting.at(-1);
        if (last !== undefined && lastInstant(last) >= most) begin(waiting.pop()!);
        else if (newest === undefined) return undefined;
        else if (most === others) return { cursor: chooseById(most), others };
        else
          return {
            cursor: newest,
            others: Math.max(others, last === undefined ? -Infinity : lastInstant(last)),
          };
      }
    },
    /** Notes how many looks a cursor took. */
    note(own: number): void {
      walked += own;
      looks += own;
    },
  };
}
