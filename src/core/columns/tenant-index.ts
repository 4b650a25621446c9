import { demand, type Account, type Ledger } from '../bounds/ledger.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import { pathText, type FilterPath, type Path } from '../filter/path.ts';
import type { EventQuery, Page, Position } from '../query/event-query.ts';
import type { Breakdown, Grouping } from '../query/grouping.ts';
import { createColumn, type Column, type ColumnLimits } from './column.ts';
import { breakDown, type OpenedRows } from './groups/breakdown.ts';
import type { KeyedHash } from './keyed-hash.ts';
import type { EventLog } from './log.ts';
import type { OrderedRows } from './order/held-rows.ts';
import { createOrder, type Order } from './order/order.ts';
import { openMoment, type Moment, type QuestionTools } from './selection/moment.ts';
import { countPaced, walkDown } from './selection/walk.ts';

/** What is known of one tenant's log: the columns of the paths that queries have named, and the order. */
export interface TenantIndex {
  readonly log: EventLog;
  /** The rows of a page of matching events, in the order of answers. */
  find(query: EventQuery, page: Page, pacer: Pacer): Promise<readonly number[]>;
  count(query: EventQuery, pacer: Pacer): Promise<number>;
  breakdown(query: EventQuery, grouping: Grouping, pacer: Pacer): Promise<Breakdown>;
  /** Lets go of everything that no question uses; of the rest when the last has ended. */
  dispose(): void;
}

export interface TenantIndexOptions {
  /** Who the memory belongs to: the tenant's id. */
  readonly owner: string;
  readonly ledger: Ledger;
  readonly limits: ColumnLimits;
  readonly hash: KeyedHash;
}

/** What an order takes beside its arrays. */
const PART_BYTES = 2048;
/** What a column takes: as much again as its parts do, because the collector walks them one by one. */
const COLUMN_BYTES = 8192;

/** A column that lives no longer than its question takes whatever there is room for; a Map throws at 2^24. */
const OWN_LIMITS: ColumnLimits = { distinctMax: 2 ** 24 - 2, bytesMax: Infinity };

/** Makes the index of one log; it reads nothing before the first question. */
export function createTenantIndex(
  log: EventLog,
  { owner, ledger, limits, hash }: TenantIndexOptions,
): TenantIndex {
  const columns = new Map<string, Column>();
  let order: Order | undefined;
  /** Those of questions that have ended, for the next ones. */
  const accounts: Account[] = [];

  async function ask<T>(pacer: Pacer, work: (question: QuestionTools) => Promise<T>): Promise<T> {
    const account = accounts.pop() ?? ledger.account(owner);
    const ends: (() => void)[] = [];
    try {
      return await work({ account, pacer, atEnd: (end) => void ends.push(end) });
    } finally {
      for (const end of ends.reverse()) end();
      account.release();
      accounts.push(account);
    }
  }

  function columnOf(path: Path, { atEnd }: QuestionTools): Column {
    const text = pathText(path);
    const known = columns.get(text);
    const forget = () => columns.get(text) === column && columns.delete(text);
    const column = known ?? makeColumn(path, text, forget);
    if (known !== undefined) known.kept.use();
    atEnd(() => {
      // There may be memory for it when it is asked for again.
      if (column.givenUp === 'no memory' && forget()) column.kept.retire();
      column.kept.leave();
    });
    return column;
  }

  function makeColumn(path: Path, text: string, forget: () => void): Column {
    const kept = ledger.keep(owner, forget);
    demand(kept, COLUMN_BYTES + text.length * 8);
    const column = createColumn(log, path, { limits, hash, kept });
    columns.set(text, column);
    return column;
  }

  function ownColumnOf(view: EventLog, path: Path, { atEnd }: QuestionTools): Column {
    const kept = ledger.keep(owner, () => undefined);
    atEnd(() => (kept.retire(), kept.leave()));
    demand(kept, COLUMN_BYTES);
    return createColumn(view, path, { limits: OWN_LIMITS, hash, kept });
  }

  function orderOf({ atEnd }: QuestionTools): Order {
    if (order === undefined) {
      const kept = ledger.keep(owner, () => order === own && (order = undefined));
      demand(kept, PART_BYTES);
      order = createOrder(log, kept);
    } else {
      order.kept.use();
    }
    const own = order;
    atEnd(() => own.kept.leave());
    return own;
  }

  /** The order of the rows that there are now, for this question alone. */
  async function holdOrder(question: QuestionTools): Promise<{ order: Order; held: OrderedRows }> {
    const own = orderOf(question);
    const size = log.size();
    const isNew = own.covered < size;
    const held = isNew ? await own.holdAt(size, question.pacer) : own.hold();
    question.atEnd(() => own.release(held));
    if (isNew) await own.save(question.pacer);
    return { order: own, held };
  }

  /** A condition and what some paths find, over the first `size` rows. */
  function select(
    { condition }: EventQuery,
    paths: readonly FilterPath[],
    size: number,
    question: QuestionTools,
  ): Promise<Moment> {
    const parts = {
      log,
      columnOf: (path: Path) => columnOf(path, question),
      ownColumnOf: (view: EventLog, path: Path) => ownColumnOf(view, path, question),
      orderOf: () => orderOf(question),
    };
    return openMoment(condition, paths, size, parts, question);
  }

  /** The rows in the order of time, those within the bounds of a query. */
  async function openInOrder(query: EventQuery, paths: readonly FilterPath[], question: QuestionTools) {
    const { order: own, held } = await holdOrder(question);
    const moment = await select(query, paths, held.covered, question);
    const placeOf = (instant: number) => own.placeOfInstant(held, instant);
    const instantAt = (place: number) => own.instants[held.rows[place]!]!;
    const from = placeOf(query.from);
    const range = { rows: held.rows, from, to: Math.max(from, placeOf(query.until)) };
    return {
      ...moment,
      range,
      placeOf,
      instantAt,
      placeBehind: (after: Position) => own.placeOf(held, after),
    };
  }

  /** The rows within the bounds of a query, in the order that is quickest. */
  async function open(
    query: EventQuery,
    paths: readonly FilterPath[],
    question: QuestionTools,
  ): Promise<OpenedRows> {
    if (query.from === -Infinity && query.until === Infinity) {
      const moment = await select(query, paths, log.size(), question);
      return { ...moment, range: { from: 0, to: moment.size } };
    }
    const opened = await openInOrder(query, paths, question);
    const { size, range } = opened;
    return range.to - range.from < size ? opened : { ...opened, range: { from: 0, to: size } };
  }

  return {
    log,
    count: (query, pacer) =>
      ask(pacer, async (question) => {
        const { selector, range } = await open(query, [], question);
        return countPaced(selector, range, pacer);
      }),
    find: (query, page, pacer) =>
      ask(pacer, async (question) => {
        const { selector, size, range, placeBehind } = await openInOrder(query, [], question);
        const to = page.after === undefined ? range.to : Math.min(range.to, placeBehind(page.after));
        return walkDown(selector, { ...range, to, covered: size }, page, pacer);
      }),
    breakdown: (query, grouping, pacer) =>
      ask(pacer, (question) => {
        const opener = {
          open: (paths: readonly FilterPath[]) => open(query, paths, question),
          openInOrder: (paths: readonly FilterPath[]) => openInOrder(query, paths, question),
        };
        return breakDown(grouping, opener, question);
      }),
    dispose() {
      for (const column of columns.values()) column.kept.retire();
      order?.kept.retire();
      columns.clear();
      order = undefined;
    },
  };
}
