import { demand, type Account, type Ledger } from '../bounds/ledger.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { Condition } from '../filter/condition.ts';
import { pathText, type Path } from '../filter/path.ts';
import type { EventQuery, Page } from '../query/event-query.ts';
import { createColumn, type Column, type ColumnLimits } from './column.ts';
import type { KeyedHash } from './keyed-hash.ts';
import type { EventLog } from './log.ts';
import type { OrderedRows } from './order/held-rows.ts';
import { createOrder, type Order } from './order/order.ts';
import { toSelector, type Selector } from './selection/selector.ts';
import { atomsOf, createSources } from './selection/sources.ts';
import { countPaced, walkDown } from './selection/walk.ts';

/** What is known of one tenant's log: the columns of the paths that queries have named, and the order. */
export interface TenantIndex {
  readonly log: EventLog;
  /** The rows of a page of matching events, in the order of answers. */
  find(query: EventQuery, page: Page, pacer: Pacer): Promise<readonly number[]>;
  count(query: EventQuery, pacer: Pacer): Promise<number>;
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

/** A question at one moment: rows that arrive later belong to none of its parts. */
interface Moment {
  readonly selector: Selector;
  readonly size: number;
}

/** What one question has in use until it ends. */
interface Question {
  readonly account: Account;
  readonly pacer: Pacer;
  /** Does this when the question ends, however it does. */
  readonly atEnd: (end: () => void) => void;
}

/** What a column or an order takes beside its arrays. */
const PART_BYTES = 2048;

/** Makes the index of one log; it reads nothing before the first question. */
export function createTenantIndex(
  log: EventLog,
  { owner, ledger, limits, hash }: TenantIndexOptions,
): TenantIndex {
  const columns = new Map<string, Column>();
  let order: Order | undefined;
  /** Those of questions that have ended, for the next ones. */
  const accounts: Account[] = [];

  async function ask<T>(pacer: Pacer, work: (question: Question) => Promise<T>): Promise<T> {
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

  function columnOf(path: Path, { atEnd }: Question): Column {
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
    demand(kept, PART_BYTES + text.length * 8);
    const column = createColumn(log, path, { limits, hash, kept });
    columns.set(text, column);
    return column;
  }

  function orderOf({ atEnd }: Question): Order {
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
  async function holdOrder(question: Question): Promise<{ order: Order; held: OrderedRows }> {
    const own = orderOf(question);
    const size = log.size();
    const isNew = own.covered < size;
    const held = isNew ? await own.holdAt(size, question.pacer) : own.hold();
    question.atEnd(() => own.release(held));
    if (isNew) await own.save(question.pacer);
    return { order: own, held };
  }

  /** Brings everything that a condition needs to know the first `size` rows. */
  async function select(condition: Condition, size: number, question: Question): Promise<Moment> {
    if (size === 0) return { selector: { kind: 'constant', value: 0 }, size };
    const atoms = atomsOf(condition);
    const columnOfPath = (path: Path) => columnOf(path, question);
    const parts = { log, columnOf: columnOfPath, orderOf: () => orderOf(question) };
    const sources = createSources(atoms, parts, question);
    const distinct = new Set(sources.values());
    question.atEnd(() => distinct.forEach((source) => source.release?.()));
    // What is covered may be given up while others are covered.
    while (![...distinct].every((source) => source.isReady(size))) {
      for (const source of distinct) if (!source.isReady(size)) await source.cover(size);
    }
    const leaves = new Map(atoms.map((atom) => [atom, sources.get(atom)!.leaf(atom)]));
    const steps = toSelector(condition, { account: question.account, leafOf: (atom) => leaves.get(atom)! });
    for (;;) {
      const step = steps.next();
      if (step.done === true) return { selector: step.value, size };
      await question.pacer.pause();
    }
  }

  return {
    log,
    count: ({ from, until, condition }, pacer) =>
      ask(pacer, async (question) => {
        if (from === -Infinity && until === Infinity) {
          const { selector, size } = await select(condition, log.size(), question);
          return countPaced(selector, { from: 0, to: size }, pacer);
        }
        const { order: own, held } = await holdOrder(question);
        const { selector, size } = await select(condition, held.covered, question);
        const [first, end] = [own.placeOfInstant(held, from), own.placeOfInstant(held, until)];
        if (end - first === size) return countPaced(selector, { from: 0, to: size }, pacer);
        return countPaced(selector, { rows: held.rows, from: first, to: end }, pacer);
      }),
    find: ({ from, until, condition }, page, pacer) =>
      ask(pacer, async (question) => {
        const { order: own, held } = await holdOrder(question);
        const { selector, size } = await select(condition, held.covered, question);
        const first = own.placeOfInstant(held, from);
        const end = own.placeOfInstant(held, until);
        const to = page.after === undefined ? end : Math.min(end, own.placeOf(held, page.after));
        return walkDown(selector, { rows: held.rows, from: first, to, covered: size }, page, pacer);
      }),
    dispose() {
      for (const column of columns.values()) column.kept.retire();
      order?.kept.retire();
      columns.clear();
      order = undefined;
    },
  };
}
