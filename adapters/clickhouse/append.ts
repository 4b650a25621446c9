import { ApiError, type AppendResult, type StoredEvent } from '../../src/index.ts';
import { keyOf, planBatch, resultOf } from '../sql/index.ts';
import type { ClickhouseDatabase } from './database.ts';
import type { Layout } from './schema.ts';

/** What is written and erased, in a database that has no transactions. */
export interface Writer {
  append(tenantId: string, events: readonly StoredEvent[], namesMax: number): Promise<AppendResult>;
  erase(tenantId: string): Promise<void>;
  drop(tenantId: string): Promise<void>;
}

const COLUMNS = ['tenant', 'ts', 'insert_id', 'event_name', 'user_id', 'properties'] as const;

/**
 * Each step leaves the tables right when it is the last: names come before the events that have them, the
 * mark of a dropped tenant before its events go, and whoever stored events looks for that mark once more.
 */
export function createWriter(database: ClickhouseDatabase, { write, read, erase }: Layout): Writer {
  async function isDropped(tenantId: string): Promise<boolean> {
    const text = `select 1 from ${read.droppedTenants} where tenant = {p1:String} limit 1`;
    return (await database.ask({ text, values: [tenantId] })).length > 0;
  }

  async function findPresent(tenantId: string, events: readonly StoredEvent[]): Promise<Set<string>> {
    if (events.length === 0) return new Set();
    const text = `select ts, insert_id from ${read.events} where tenant = {p1:String}
      and (ts, insert_id) in arrayZip({p2:Array(Int64)}, {p3:Array(String)})`;
    const values = [tenantId, events.map(({ eventTs }) => eventTs), events.map(({ insertId }) => insertId)];
    const rows = await database.ask({ text, values });
    return new Set(rows.map(({ ts, insert_id }) => keyOf(ts as number, insert_id as string)));
  }

  async function readNames(tenantId: string): Promise<Set<string>> {
    const text = `select distinct event_name from ${read.eventNames} where tenant = {p1:String}`;
    const rows = await database.ask({ text, values: [tenantId] });
    return new Set(rows.map(({ event_name }) => event_name as string));
  }

  async function remove(tenantId: string): Promise<void> {
    for (const table of [...erase.events, ...erase.eventNames]) {
      await database.run({ text: `delete from ${table} where tenant = {p1:String}`, values: [tenantId] });
    }
  }

  return {
    async append(tenantId, events, namesMax) {
      const [dropped, names, present] = await Promise.all([
        isDropped(tenantId),
        readNames(tenantId),
        findPresent(tenantId, events),
      ]);
      if (dropped) throw new ApiError('tenantNotFound');
      const { fresh, overNames } = planBatch(events, { present, names, namesMax });
      const stored = [...fresh.values()];
      // Every field is read before anything is stored.
      const rows = stored.map((event) => toRow(tenantId, event));
      const added = [...new Set(stored.map(({ eventName }) => eventName))].filter((name) => !names.has(name));
      if (added.length > 0) {
        const pairs = added.map((name) => [tenantId, name]);
        await database.insert(write.eventNames, ['tenant', 'event_name'], pairs);
      }
      if (rows.length > 0) {
        await database.insert(write.events, [...COLUMNS], rows);
        if (await isDropped(tenantId)) {
          await remove(tenantId);
          throw new ApiError('tenantNotFound');
        }
      }
      return resultOf(events, stored, overNames);
    },
    erase: remove,
    async drop(tenantId) {
      await database.insert(write.droppedTenants, ['tenant'], [[tenantId]]);
      await remove(tenantId);
    },
  };
}

function toRow(tenantId: string, event: StoredEvent): readonly unknown[] {
  const { eventTs, insertId, eventName, userId, propertiesJson } = event;
  return [tenantId, eventTs, insertId, eventName, userId, propertiesJson];
}
