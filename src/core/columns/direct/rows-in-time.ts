import type { Pacer } from '../../bounds/scheduler.ts';
import { compileInstants, type InstantRange } from '../../filter/instants.ts';
import type { Path } from '../../filter/path.ts';
import type { Position } from '../../query/event-query.ts';
import { isErased } from '../log/erased-rows.ts';
import { readValues, segmentEnd, segmentOf, type EventLog, type TimeIndex } from '../log/log.ts';
import { COUNTED_MAX, STEP_ROWS } from '../log/sizes.ts';

/** Where events are looked for without the order. */
export interface TimeRows {
  readonly log: EventLog;
  /** They ascend and do not touch. */
  readonly ranges: readonly InstantRange[];
  /** Only rows before this one, which were there when the question began. */
  readonly end: number;
}

const EVENT_TS: Path = { root: 'eventTs', segments: [] };
const INSERT_ID: Path = { root: 'insertId', segments: [] };

/** The rows of some ranges of time, ascending; undefined if there are more than `limit`. */
export async function rowsWithin(
  asked: TimeRows,
  limit: number,
  pacer: Pacer,
): Promise<readonly number[] | undefined> {
  const bySegment: (number[] | undefined)[] = [];
  const isAll = await eachRows(asked, limit, pacer, (some) => {
    for (const row of some) (bySegment[segmentOf(row)] ??= []).push(row);
  });
  if (!isAll) return undefined;
  const rows: number[] = [];
  // A million rows at once would be sorted for half a second.
  for (const own of bySegment) {
    for (const row of own?.sort((a, b) => a - b) ?? []) rows.push(row);
    await pacer.yieldIfDue();
  }
  return rows;
}

/** How many rows some ranges of time have; undefined if there are more than `limit`. */
export async function countWithin(asked: TimeRows, limit: number, pacer: Pacer): Promise<number | undefined> {
  const { log, ranges, end } = asked;
  const { byTime } = log;
  let count = 0;
  // The store also counts rows that are erased and not removed yet.
  if (byTime !== undefined && log.erased().count === 0) {
    for (const range of ranges) {
      count += byTime.count({ ...range, end }, COUNTED_MAX + 1);
      if (count > limit) return undefined;
      if (count > COUNTED_MAX) break;
      await pacer.yieldIfDue();
    }
    if (count <= COUNTED_MAX) return count;
    count = 0;
  }
  const isAll = await eachRows(asked, limit, pacer, (some) => (count += some.length));
  return isAll ? count : undefined;
}

/** Finds the rows of some ranges, step by step; false if there are more than `limit`. */
function eachRows(
  asked: TimeRows,
  limit: number,
  pacer: Pacer,
  take: (rows: readonly number[]) => void,
): Promise<boolean> {
  const { byTime } = asked.log;
  return byTime === undefined
    ? scanRows(asked, limit, pacer, take)
    : listRows(asked, byTime, limit, pacer, take);
}

async function listRows(
  { log, ranges, end }: TimeRows,
  byTime: TimeIndex,
  limit: number,
  pacer: Pacer,
  take: (rows: readonly number[]) => void,
): Promise<boolean> {
  let looked = 0;
  for (const range of ranges) {
    for (let after: Position | undefined; ;) {
      const step = Math.min(STEP_ROWS, limit - looked + 1);
      const found = byTime.rows({ ...range, after, end }, step);
      looked += found.length;
      if (looked > limit) return false;
      const live = withoutErased(log, found);
      take(live);
      await pacer.yieldIfDue();
      if (found.length < step) break;
      if (live.length === 0) return false;
      after = positionOf(log, live.at(-1)!);
    }
  }
  return true;
}

async function scanRows(
  { log, ranges, end }: TimeRows,
  limit: number,
  pacer: Pacer,
  take: (rows: readonly number[]) => void,
): Promise<boolean> {
  const isInside = compileInstants(ranges);
  let looked = 0;
  for (let from = 0; from < end;) {
    const instants = readValues(log, EVENT_TS, from, Math.min(end, segmentEnd(from)));
    const rows: number[] = [];
    for (let i = 0; i < instants.length; i++) {
      const instant = instants[i] as number | undefined;
      if (instant !== undefined && isInside(instant)) rows.push(from + i);
    }
    looked += rows.length;
    if (looked > limit) return false;
    take(rows);
    from += instants.length;
    await pacer.yieldIfDue();
  }
  return true;
}

/** The rows that are not erased, of some that the store has not removed yet. */
export function withoutErased(log: EventLog, rows: readonly number[]): readonly number[] {
  const erased = log.erased();
  return erased.count === 0 ? rows : rows.filter((row) => !isErased(erased, row));
}

/** The position of a row that is not erased. */
export function positionOf(log: EventLog, row: number): Position {
  const [[eventTs], [insertId]] = log.valuesAt([EVENT_TS, INSERT_ID], [row]) as [[number], [string]];
  return { eventTs, insertId };
}

/** Which rows are the newest, and whether they are all that there are. */
export interface NewestRows {
  /** They ascend. */
  readonly rows: readonly number[];
  readonly isAll: boolean;
}

/**
 * The rows whose instants are the newest of some ranges, at least `wanted` if there are so many, from a look
 * at every instant: with a row all others of its instant are among them. Undefined if that makes more than
 * `limit`.
 */
export async function scanNewest(
  { log, ranges, end }: TimeRows,
  { wanted, limit, until }: { readonly wanted: number; readonly limit: number; readonly until: number },
  pacer: Pacer,
): Promise<NewestRows | undefined> {
  const isInside = compileInstants(ranges);
  let cut = -Infinity;
  let found: { readonly row: number; readonly instant: number }[] = [];
  let room = wanted * 2;

  /** Leaves out those that are older than the `wanted` newest. */
  function shrink(): void {
    const instants = Float64Array.from(found, ({ instant }) => instant).sort();
    cut = instants[instants.length - wanted]!;
    found = found.filter(({ instant }) => instant >= cut);
    room = Math.max(room, found.length * 2);
  }

  for (let from = 0; from < end;) {
    const instants = readValues(log, EVENT_TS, from, Math.min(end, segmentEnd(from)));
    for (let i = 0; i < instants.length; i++) {
      const instant = instants[i] as number | undefined;
      if (instant === undefined || instant < cut || instant > until || !isInside(instant)) continue;
      found.push({ row: from + i, instant });
      if (found.length >= room) shrink();
    }
    if (found.length > limit) return undefined;
    from += instants.length;
    await pacer.yieldIfDue();
  }
  return { rows: found.map(({ row }) => row), isAll: cut === -Infinity };
}
