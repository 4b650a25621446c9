import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { aborted, unavailable, type Signal } from '../../src/index.ts';
import type { EventQuery } from '../../src/store-kit.ts';
import { createDraft, writeWhere, type TreeDialect } from '../sql/index.ts';
import type { ClickhouseDatabase } from './database.ts';
import { CLICKHOUSE } from './dialect.ts';
import type { Layout } from './schema.ts';
import type { Questions } from './questions.ts';

/** The size of an erasure's number in bytes, small enough for JSON. */
const NUMBER_BYTES = 6;
/** How often the progress of a marking is polled, in milliseconds. */
const LOOK_MS = 100;

/**
 * The number of an erasure is derived from its query, so that a repeated request, in any process, finds the
 * events that are marked or being marked. 0 means no erasure.
 */
export function numberOf(tenantId: string, query: EventQuery): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenantId, query]))
    .digest();
  return digest.readUIntBE(0, NUMBER_BYTES) || 1;
}

/**
 * The dialect of queries: it hides events that a decided erasure has marked, whether or not they are removed
 * yet.
 */
export function livingOnly({ read }: Layout): TreeDialect {
  const decided = (tenant: string) =>
    `(select groupArray(erasure) from ${read.erasures} where tenant = ${tenant})`;
  return { ...CLICKHOUSE, living: (tenant) => `not has(${decided(tenant)}, erasure)` };
}

/** Erases events; every query sees all of them or none. */
export interface Eraser {
  /** The decided erasures of a tenant whose events may still exist. */
  findDecided(tenantId: string): Promise<readonly number[]>;
  /** Removes the events of decided erasures. After an interruption, the next writer continues. */
  finish(tenantId: string, erasures: readonly number[]): Promise<void>;
  /** Erases the matching events; returns how many there were. */
  erase(tenantId: string, query: EventQuery, signal?: Signal): Promise<number>;
  /** Removes all data of a tenant, part by part. */
  remove(tenantId: string): Promise<void>;
}

/**
 * An erasure marks its events with its number, part by part, which has no visible effect. One inserted row
 * decides it: from then on no query sees the marked events. Then it removes them part by part. Every step
 * leaves the tables valid if it is the last.
 */
export function createEraser(database: ClickhouseDatabase, layout: Layout, questions: Questions): Eraser {
  const { read, write, erase, mutations } = layout;
  const living = livingOnly(layout);

  /** Runs a statement on each table that stores rows of one kind. */
  async function onEach(
    tenantId: string,
    tables: readonly string[],
    write: (table: string) => string,
    values: unknown[],
  ): Promise<void> {
    for (const table of tables) await database.run(tenantId, { text: write(table), values });
  }

  /** How many events match, and how many of them an erasure has yet to mark. */
  async function findMatching(tenantId: string, query: EventQuery, erasure: number, signal?: Signal) {
    const draft = createDraft(living);
    const number = draft.bind(erasure, 'number');
    const text = `select count() as count, countIf(erasure <> ${number}) as unmarked
      from ${read.events} final where ${writeWhere(living, tenantId, query, draft)}`;
    const [row] = await database.ask(tenantId, { text, values: draft.values }, signal);
    return { count: Number(row?.count), unmarked: Number(row?.unmarked) };
  }

  async function mark(tenantId: string, query: EventQuery, erasure: number): Promise<void> {
    const draft = createDraft(CLICKHOUSE);
    const where = writeWhere(CLICKHOUSE, tenantId, query, draft);
    const number = draft.bind(erasure, 'number');
    const text = (table: string) =>
      `alter table ${table} update erasure = ${number} where ${where} and erasure <> ${number}`;
    await onEach(tenantId, erase.events, text, draft.values);
  }

  async function countMarked(tenantId: string, erasure: number): Promise<number> {
    const text = `select count() as count from ${read.events} final
      where tenant = {p1:String} and erasure = {p2:Int64}`;
    const [row] = await database.ask(tenantId, { text, values: [tenantId, erasure] });
    return Number(row?.count);
  }

  /** Whether events are still being marked for an erasure whose request has ended. */
  async function isMarking(tenantId: string, erasure: number): Promise<boolean> {
    // Versions of ClickHouse print the number differently.
    const text = `select 1 from ${mutations} where not is_done and match(command, {p1:String}) limit 1`;
    const rows = await database.ask(tenantId, { text, values: [`^\\(?UPDATE erasure = \\D*${erasure}\\D`] });
    return rows.length > 0;
  }

  /** Waits for a marking, up to the timeout of a statement. */
  async function awaitMarking(tenantId: string, erasure: number, signal?: Signal): Promise<void> {
    const until = performance.now() + database.timeoutMs;
    while (await isMarking(tenantId, erasure)) {
      if (signal?.aborted === true) throw aborted();
      if (performance.now() > until) throw unavailable(new Error('The events are still being marked.'));
      await sleep(LOOK_MS);
    }
  }

  /**
   * Removes further rows of the marked events. They exist if two processes stored an event at the same time,
   * and would become visible once the marked row is removed.
   */
  async function removeOthers(tenantId: string, erasures: readonly number[]): Promise<void> {
    const others = await database.ask(tenantId, {
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
    await onEach(tenantId, erase.events, text, [tenantId, erasures, ...keys]);
  }

  async function removeNames(tenantId: string): Promise<void> {
    const rows = await database.ask(tenantId, {
      text: `select distinct event_name from ${read.eventNames}
        where tenant = {p1:String} and event_name global not in (
          select event_name from ${read.events} where tenant = {p1:String})`,
      values: [tenantId],
    });
    if (rows.length === 0) return;
    const text = (table: string) =>
      `delete from ${table} where tenant = {p1:String} and has({p2:Array(String)}, event_name)`;
    await onEach(tenantId, erase.eventNames, text, [tenantId, rows.map(({ event_name }) => event_name)]);
  }

  async function findDecided(tenantId: string): Promise<readonly number[]> {
    const text = `select distinct erasure from ${read.erasures} where tenant = {p1:String}`;
    return (await database.ask(tenantId, { text, values: [tenantId] })).map(({ erasure }) => Number(erasure));
  }

  async function finish(tenantId: string, erasures: readonly number[]): Promise<void> {
    if (erasures.length === 0) return;
    const text = (table: string) =>
      `delete from ${table} where tenant = {p1:String} and has({p2:Array(Int64)}, erasure)`;
    // A query that started before the decision may read the events until it has its answer.
    await questions.ended(tenantId);
    await removeOthers(tenantId, erasures);
    await onEach(tenantId, erase.events, text, [tenantId, erasures]);
    await removeNames(tenantId);
    // A query that started during their removal needs the mark just as long.
    await questions.ended(tenantId);
    await onEach(tenantId, erase.erasures, text, [tenantId, erasures]);
  }

  return {
    findDecided,
    finish,
    async erase(tenantId, query, signal) {
      const erasure = numberOf(tenantId, query);
      await finish(tenantId, await findDecided(tenantId));
      await awaitMarking(tenantId, erasure, signal);
      const { count, unmarked } = await findMatching(tenantId, query, erasure, signal);
      if (count === 0) return 0;
      if (unmarked > 0) await mark(tenantId, query, erasure);
      const erased = await countMarked(tenantId, erasure);
      if (signal?.aborted === true) throw aborted();
      await database.insert(tenantId, write.erasures, ['tenant', 'erasure'], [[tenantId, erasure]]);
      await finish(tenantId, [erasure]);
      return erased;
    },
    async remove(tenantId) {
      const tables = [...erase.events, ...erase.eventNames, ...erase.erasures];
      await onEach(tenantId, tables, (table) => `delete from ${table} where tenant = {p1:String}`, [
        tenantId,
      ]);
    },
  };
}
