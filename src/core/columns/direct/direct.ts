import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import { isEverything } from '../../filter/condition.ts';
import { ALWAYS } from '../../filter/instants.ts';
import type { EventQuery, Page, Position } from '../../query/event-query.ts';
import type { EventLog, TimeIndex } from '../log/log.ts';
import { createNarrowLog } from '../log/narrow-log.ts';
import {
  PAGE_SHARE,
  READ_LOOKS,
  SCANNED_FIRST,
  STEP_ROWS,
  TESTED_FIRST,
  UNORDERED_ROWS_MIN,
} from '../log/sizes.ts';
import type { Parts } from '../parts/parts.ts';
import type { TimedQuery } from '../selection/spans.ts';
import type { QuestionTools } from '../sources/question.ts';
import {
  countWithin,
  positionOf,
  rowsWithin,
  scanNewest,
  withoutErased,
  type TimeRows,
} from './rows-in-time.ts';

/**
 * Answers questions about few rows of a log whose order is not there yet: building it takes a second for a
 * million events. The rows are found in the store's own index by time, or by a look at every instant, and
 * the question is asked of an index of these rows alone. An answer is undefined if the order has to be built:
 * if it is nearly there, if the rows are too many, or if such answers together took as long as building what
 * it lacks.
 */
export interface Direct<Inner> {
  /** How many rows match. */
  count(asked: TimedQuery, log: EventLog, question: QuestionTools): Promise<number | undefined>;
  /** The rows of a page, in the order of answers. */
  find(
    asked: TimedQuery,
    page: Page,
    log: EventLog,
    question: QuestionTools,
  ): Promise<readonly number[] | undefined>;
  /** An index of the rows of some ranges alone. */
  open(ranges: TimedQuery['ranges'], log: EventLog, question: QuestionTools): Promise<Inner | undefined>;
  /** Whether a page may be answered without the order now. */
  isLikely(log: EventLog): boolean;
}

/** What an index of few rows answers. */
export interface InnerIndex {
  count(query: EventQuery, pacer: QuestionTools['pacer']): Promise<number>;
  find(
    query: EventQuery,
    page: Page,
    pacer: QuestionTools['pacer'],
  ): Promise<{ readonly rows: readonly number[] }>;
  dispose(): void;
}

/** How many rows are sorted in the time in which one is looked at. */
const SCANNED_ROWS = 16;

/** What the look at every instant costs where the store has no index by time, in rows that are found. */
const scanCost = (log: EventLog, size: number) => (log.byTime === undefined ? size / SCANNED_ROWS : 0);

/** The rows of a page, and how many were found in search of them. */
interface Searched {
  readonly rows: readonly number[];
  readonly looked: number;
}

/** Begins with as much time to spend as building what is missing of the order takes. */
export function createDirect<Inner extends InnerIndex>(
  parts: Pick<Parts, 'known' | 'orderOf'>,
  openInner: (log: EventLog) => Inner,
): Direct<Inner> {
  /** How many rows were found for answers since the order was last there, or had to be built. */
  let spent = 0;

  /** How many rows the order lacks; 0 if they are so few that it is built at once. */
  function missingOf(size: number): number {
    const missing = size - (parts.known.order()?.indexedRows ?? 0);
    return missing < UNORDERED_ROWS_MIN ? 0 : missing;
  }

  const leftOf = (log: EventLog, size: number) => Math.max(0, missingOf(size) - spent - scanCost(log, size));

  /** How many rows may be found; 0 if the order is there as far as that matters, or if it has to be built. */
  async function looksLeft({ log, end }: TimeRows, question: QuestionTools): Promise<number> {
    if (missingOf(end) > 0) {
      const order = parts.orderOf(question);
      // What is stored of it takes no time to speak of.
      while (order.indexedRows < end && order.loadStep()) await question.pacer.yieldIfDue();
    }
    if (missingOf(end) === 0) spent = 0;
    return leftOf(log, end);
  }

  /** Notes what an answer took. Without an answer the order is built, and then all begins again. */
  function spend<T>(answer: T | undefined, looks: number, { log, end }: TimeRows): T | undefined {
    spent = answer === undefined ? 0 : spent + looks + scanCost(log, end);
    return answer;
  }

  function openRows(log: EventLog, rows: readonly number[], { reservation, atEnd }: QuestionTools): Inner {
    reserveOrThrow(reservation, rows.length * 8);
    const inner = openInner(createNarrowLog(log, rows));
    atEnd(() => inner.dispose());
    return inner;
  }

  async function openRanges(asked: TimeRows, looks: number, question: QuestionTools) {
    const rows = await rowsWithin(asked, Math.floor(looks / READ_LOOKS), question.pacer);
    spend(rows, (rows?.length ?? 0) * READ_LOOKS, asked);
    return rows && openRows(asked.log, rows, question);
  }

  /** Walks down the index, which begins after the page before this one, until the page is full. */
  async function walk(
    byTime: TimeIndex,
    { log, ranges, end }: TimeRows,
    {
      condition,
      wanted,
      after,
    }: { wanted: number; after: Position | undefined } & Pick<EventQuery, 'condition'>,
    { limit, question }: { limit: number; question: QuestionTools },
  ): Promise<Searched | undefined> {
    const found: number[] = [];
    const isEvery = isEverything(condition);
    let looked = 0;
    let step = isEvery ? wanted : Math.max(TESTED_FIRST, wanted);
    for (const range of ranges.toReversed()) {
      for (let position = after; ; step *= 4) {
        step = Math.min(step, STEP_ROWS);
        const rows = byTime.rows({ ...range, after: position, end }, step);
        looked += rows.length;
        if (looked > limit) return undefined;
        const live = withoutErased(log, rows);
        const left = wanted - found.length;
        for (const row of isEvery ? live.slice(0, left) : await select(live, left)) found.push(row);
        await question.pacer.yieldIfDue();
        if (found.length >= wanted) return { rows: found, looked };
        if (rows.length < step) break;
        if (live.length === 0) return undefined;
        position = positionOf(log, live.at(-1)!);
      }
    }
    return { rows: found, looked };

    async function select(live: readonly number[], size: number): Promise<readonly number[]> {
      if (live.length === 0) return live;
      const rows = live.toSorted((a, b) => a - b);
      const inner = openRows(log, rows, question);
      const own = await inner.find({ ...ALWAYS, condition }, { offset: 0, size }, question.pacer);
      // Its memory is free for the next step.
      inner.dispose();
      return own.rows.map((place) => rows[place]!);
    }
  }

  /** Looks at every instant, and then at the rows of the newest. */
  async function scan(
    asked: TimeRows,
    condition: EventQuery['condition'],
    page: Page,
    { limit, question }: { limit: number; question: QuestionTools },
  ): Promise<Searched | undefined> {
    const wanted = Math.max(SCANNED_FIRST, (page.offset + page.size) * 2);
    const until = page.after?.eventTs ?? Infinity;
    const newest = await scanNewest(asked, { wanted, limit, until }, question.pacer);
    if (newest === undefined) return undefined;
    const { rows, isAll } = newest;
    const inner = openRows(asked.log, rows, question);
    const own = await inner.find({ ...ALWAYS, condition }, page, question.pacer);
    if (own.rows.length < page.size && !isAll) return undefined;
    return { rows: own.rows.map((place) => rows[place]!), looked: rows.length };
  }

  return {
    async count({ ranges, condition }, log, question) {
      const asked = { log, ranges, end: log.size() };
      const looks = await looksLeft(asked, question);
      if (looks === 0) return undefined;
      if (!isEverything(condition)) {
        const inner = await openRanges(asked, looks, question);
        return inner?.count({ ...ALWAYS, condition }, question.pacer);
      }
      const count = await countWithin(asked, looks, question.pacer);
      return spend(count, count ?? 0, asked);
    },
    async find({ ranges, condition }, page, log, question) {
      const asked = { log, ranges, end: log.size() };
      const looks = await looksLeft(asked, question);
      if (looks === 0) return undefined;
      const { byTime } = log;
      const wanted = page.offset + page.size;
      const cost = isEverything(condition) ? 1 : READ_LOOKS;
      const options = { limit: Math.floor(looks / PAGE_SHARE / cost), question };
      if (byTime === undefined) {
        const found = await scan(asked, condition, page, options);
        return spend(found?.rows, (found?.looked ?? 0) * cost, asked);
      }
      const found = await walk(byTime, asked, { condition, wanted, after: page.after }, options);
      return spend(found?.rows, (found?.looked ?? 0) * cost, asked)?.slice(page.offset);
    },
    async open(ranges, log, question) {
      const asked = { log, ranges, end: log.size() };
      const looks = await looksLeft(asked, question);
      return looks === 0 ? undefined : openRanges(asked, looks, question);
    },
    isLikely: (log) => leftOf(log, log.size()) > 0,
  };
}
