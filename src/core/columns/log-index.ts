import { compareCodePoints } from '../event/text.ts';
import type { Atom, Condition } from '../filter/condition.ts';
import { rowOf } from '../filter/operators.ts';
import { pathText, type Path } from '../filter/path.ts';
import type { EventQuery, Page, StoredPage } from '../query/event-query.ts';
import { pageOf } from '../query/stored-page.ts';
import type { Budget, Kept } from './budget.ts';
import { createColumn, type Column, type ColumnLimits } from './column.ts';
import { CHUNK_ROWS, LogGoneError, readValues, type EventLog } from './log.ts';
import { createOrder, type Order } from './order.ts';
import { cover, type Pacer } from './pace.ts';
import { toSelector, type Selector } from './selection/selector.ts';
import * as sources from './selection/source.ts';
import { countPaced, walkDown } from './selection/walk.ts';

/** What is known of one log: the columns of the paths that queries have named, and the order. */
export interface LogIndex {
  readonly log: EventLog;
  query(query: EventQuery, page: Page): Promise<StoredPage>;
  count(query: EventQuery): Promise<number>;
  eventNames(): Promise<readonly string[]>;
  /** Lets go of everything. */
  dispose(): void;
}

export interface LogIndexOptions {
  readonly budget: Budget;
  readonly limits: ColumnLimits;
  readonly pacer: Pacer;
}

/** A question at one moment: rows that arrive later belong to none of its parts. */
interface Moment {
  readonly selector: Selector;
  readonly size: number;
}

const EVENT_NAME: Path = { root: 'eventName', segments: [] };

/** Makes the index of one log; it reads nothing before the first question. */
export function createLogIndex(log: EventLog, { budget, limits, pacer }: LogIndexOptions): LogIndex {
  const columns = new Map<string, Column>();
  let order: Order | undefined;

  /** Runs a query, and holds the parts that it uses in memory until it ends. */
  async function holding<T>(work: (hold: Hold) => Promise<T>): Promise<T> {
    const held = new Set<Kept>();
    const hold = (part: Kept, evict: () => void) => {
      if (held.has(part)) return;
      held.add(part);
      budget.hold(part, evict);
    };
    try {
      return await work(hold);
    } finally {
      budget.release(held);
    }
  }

  function columnOf(path: Path, hold: Hold): Column {
    const text = pathText(path);
    const column = columns.get(text) ?? createColumn(log, path, limits);
    columns.set(text, column);
    hold(column, () => columns.delete(text));
    return column;
  }

  function orderOf(hold: Hold): Order {
    const own = (order ??= createOrder(log));
    hold(own, () => (order = undefined));
    return own;
  }

  function sourceOf(atom: Atom, hold: Hold): sources.Source {
    if (atom.kind === 'during') return sources.createInstantSource(log, orderOf(hold), atom, pacer);
    // Each event has an id of its own, so a dictionary of ids would be as long as the log. A column knows all
    // objects by one code, which is not enough for an operator that looks into them.
    const streamed = atom.path.root === 'insertId' || !rowOf(atom.operator).objectsAlike;
    if (streamed) return sources.createStreamedSource(log, atom, pacer);
    return sources.createColumnSource(log, columnOf(atom.path, hold), atom, pacer);
  }

  /**
   * Brings everything that a condition needs up to the log, then runs `ask` in the same turn of the event
   * loop, so that all parts know the same rows.
   */
  async function atOnce<T>(
    condition: Condition,
    ordered: boolean,
    hold: Hold,
    ask: (moment: Moment) => T | Promise<T>,
  ): Promise<T> {
    const atoms = sources.atomsOf(condition);
    const sourceOfAtom = new Map(atoms.map((atom) => [atom, sourceOf(atom, hold)]));
    const own = ordered || atoms.some(({ kind }) => kind === 'during') ? orderOf(hold) : undefined;
    for (;;) {
      const size = log.size();
      if (own !== undefined) await coverOrder(own, size);
      for (const source of sourceOfAtom.values()) await source.cover(size);
      const now = log.size();
      const ready = own === undefined || catchUpOrder(own, now);
      if (ready && [...sourceOfAtom.values()].every((source) => source.catchUp(now))) {
        const selector = toSelector(condition, (atom) => sourceOfAtom.get(atom)!.leaf());
        return ask({ selector, size: now });
      }
    }
  }

  async function coverOrder(own: Order, size: number): Promise<void> {
    await cover(own, size, pacer);
    await own.save(pacer);
  }

  function catchUpOrder(own: Order, size: number): boolean {
    if (size - own.covered > sources.CATCH_UP_ROWS) return false;
    while (own.covered < size) own.extend(size);
    return true;
  }

  /** Reads the order across pauses, although it may grow meanwhile. */
  async function reading<T>(own: Order, read: (rows: Uint32Array) => Promise<T>): Promise<T> {
    const rows = own.hold();
    try {
      return await read(rows);
    } finally {
      own.release(rows);
    }
  }

  async function streamNames(): Promise<string[]> {
    const names = new Set<string>();
    const size = log.size();
    for (let from = 0; from < size; from += CHUNK_ROWS) {
      for (const name of readValues(log, EVENT_NAME, from, Math.min(size, from + CHUNK_ROWS)))
        names.add(name as string);
      await pacer.pause();
    }
    return [...names];
  }

  return {
    log,
    count: ({ from, until, condition }) =>
      holding((hold) => {
        const ranged = from > -Infinity || until < Infinity;
        return atOnce(condition, ranged, hold, ({ selector, size }) => {
          if (!ranged) return countPaced(selector, { from: 0, to: size }, pacer);
          const own = orderOf(hold);
          const [first, end] = [own.placeOfInstant(from), own.placeOfInstant(until)];
          if (end - first === size) return countPaced(selector, { from: 0, to: size }, pacer);
          return reading(own, (rows) => countPaced(selector, { rows, from: first, to: end }, pacer));
        });
      }),
    query: ({ from, until, condition }, page) =>
      holding(async (hold) => {
        const found = await atOnce(condition, true, hold, ({ selector, size }) => {
          const own = orderOf(hold);
          const first = own.placeOfInstant(from);
          const end = own.placeOfInstant(until);
          const to = page.after === undefined ? end : Math.min(end, own.placeOf(page.after));
          return reading(own, (rows) =>
            walkDown(selector, { rows, from: first, to, covered: size }, page, pacer),
          );
        });
        const events = found.length === 0 ? [] : log.events(found);
        if (events.length !== found.length) throw new LogGoneError('The log has fewer rows than it had.');
        return pageOf(events);
      }),
    eventNames: () =>
      holding(async (hold) => {
        const column = columnOf(EVENT_NAME, hold);
        await cover(column, log.size(), pacer);
        await column.save(pacer);
        const names = column.plain ? await streamNames() : (column.dictionary.values.slice(1) as string[]);
        return names.sort(compareCodePoints);
      }),
    dispose() {
      for (const column of columns.values()) budget.forget(column);
      if (order !== undefined) budget.forget(order);
      columns.clear();
      order = undefined;
    },
  };
}

/** Notes that a query uses a part. */
type Hold = (part: Kept, evict: () => void) => void;
