import { randomInt } from 'node:crypto';
import { aborted, type EventQuery, type Signal } from '../../src/index.ts';
import { createDraft, selectCount, writeWhere, type Dialect } from '../sql/index.ts';
import type { ClickhouseDatabase } from './database.ts';
import { CLICKHOUSE } from './dialect.ts';
import type { Layout } from './schema.ts';
import type { Questions } from './turns.ts';

/** Numbers of erasures are drawn, since several processes give them; 0 is that of no erasure. */
const ERASURE_MAX = 2 ** 48;

/** The dialect of questions: what a decided erasure has marked is not seen, be it still there or not. */
export function livingOnly({ read }: Layout): Dialect {
  const decided = (tenant: string) =>
    `(select groupArray(erasure) from ${read.erasures} where tenant = ${tenant})`;
  return { ...CLICKHOUSE, living: (tenant) => `not has(${decided(tenant)}, erasure)` };
}

/** Removes events, of which every question sees all or none. */
export interface Eraser {
  /** The erasures of a tenant that were decided, and whose events may still be there. */
  findDecided(tenantId: string): Promise<readonly number[]>;
  /** Removes the events of decided erasures. Whoever was interrupted is followed by whoever writes next. */
  finish(tenantId: string, erasures: readonly number[]): Promise<void>;
  /** Removes the events that match; how many they were. */
  erase(tenantId: string, query: EventQuery, signal?: Signal): Promise<number>;
  /** Removes everything of a tenant, part by part. */
  remove(tenantId: string): Promise<void>;
}

/**
 * An erasure marks its events with its number, part by part, which nobody sees; is decided by one row, from
 * which on no question sees the marked ones; and removes them part by part. Each step leaves the tables right
 * when it is the last.
 */
export function createEraser(database: ClickhouseDatabase, layout: Layout, questions: Questions): Eraser {
  const { read, write, erase } = layout;
  const living = livingOnly(layout);

  /** Runs a statement on each table in which rows of one kind lie. */
  async function onEach(tables: readonly string[], write: (table: string) => string, values: unknown[]) {
    for (const table of tables) await database.run({ text: write(table), values });
  }

  async function mark(tenantId: string, query: EventQuery, erasure: number): Promise<number> {
    const draft = createDraft(CLICKHOUSE);
    const where = writeWhere(CLICKHOUSE, tenantId, query, draft);
    const number = draft.bind(erasure, 'number');
    const text = (table: string) => `alter table ${table} update erasure = ${number} where ${where}`;
    await onEach(erase.events, text, draft.values);
    const [row] = await database.ask({
      text: `select count() as count from ${read.events} final
        where tenant = {p1:String} and erasure = {p2:Int64}`,
      values: [tenantId, erasure],
    });
    return Number(row?.count);
  }

  /** Where two processes stored one event at once, the other row of it would come to light. */
  async function removeOthers(tenantId: string, erasures: readonly number[]): Promise<void> {
    const others = await database.ask({
      text: `select ts, insert_id from ${read.events}
        where tenant = {p1:String} and not has({p2:Array(Int64)}, erasure) and (ts, insert_id) global in (
          select ts, insert_id from ${read.events} final
          where tenant = {p1:String} and has({p2:Array(Int64)}, erasure))`,
      values: [tenantId, erasures],
    });
    if (others.length === 0) return;
    const text = (table: string) => `alter table ${table} delete where tenant = {p1:String}
      and not has({p2:Array(Int64)}, erasure)
      and (ts, insert_id) in arrayZip({p3:Array(Int64)}, {p4:Array(String)})`;
    const keys = [others.map(({ ts }) => ts), others.map(({ insert_id }) => insert_id)];
    await onEach(erase.events, text, [tenantId, erasures, ...keys]);
  }

  async function removeNames(tenantId: string): Promise<void> {
    const rows = await database.ask({
      text: `select distinct event_name from ${read.eventNames}
        where tenant = {p1:String} and event_name global not in (
          select event_name from ${read.events} where tenant = {p1:String})`,
      values: [tenantId],
    });
    if (rows.length === 0) return;
    const text = (table: string) =>
      `delete from ${table} where tenant = {p1:String} and has({p2:Array(String)}, event_name)`;
    await onEach(erase.eventNames, text, [tenantId, rows.map(({ event_name }) => event_name)]);
  }

  async function findDecided(tenantId: string): Promise<readonly number[]> {
    const text = `select distinct erasure from ${read.erasures} where tenant = {p1:String}`;
    return (await database.ask({ text, values: [tenantId] })).map(({ erasure }) => Number(erasure));
  }

  async function finish(tenantId: string, erasures: readonly number[]): Promise<void> {
    if (erasures.length === 0) return;
    const text = (table: string) =>
      `delete from ${table} where tenant = {p1:String} and has({p2:Array(Int64)}, erasure)`;
    // Who asked before the erasure was decided may read its events until he has his answer,
    await questions.ended(tenantId);
    await removeOthers(tenantId, erasures);
    await onEach(erase.events, text, [tenantId, erasures]);
    await removeNames(tenantId);
    // and who began while they were removed needs the mark as long.
    await questions.ended(tenantId);
    await onEach(erase.erasures, text, [tenantId, erasures]);
  }

  return {
    findDecided,
    finish,
    async erase(tenantId, query, signal) {
      await finish(tenantId, await findDecided(tenantId));
      const [row] = await database.ask(selectCount(living, `${read.events} final`, tenantId, query), signal);
      if (Number(row?.count) === 0) return 0;
      const erasure = randomInt(1, ERASURE_MAX);
      const count = await mark(tenantId, query, erasure);
      if (signal?.aborted === true) throw aborted();
      await database.insert(write.erasures, ['tenant', 'erasure'], [[tenantId, erasure]]);
      await finish(tenantId, [erasure]);
      return count;
    },
    async remove(tenantId) {
      const tables = [...erase.events, ...erase.eventNames, ...erase.erasures];
      await onEach(tables, (table) => `delete from ${table} where tenant = {p1:String}`, [tenantId]);
    },
  };
}
