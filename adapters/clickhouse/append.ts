import { ApiError } from '../../src/index.ts';
import type { AppendResult, StoredEvent } from '../../src/store-kit.ts';
import { keyOf, planBatch, resultOf } from '../sql/index.ts';
import type { ClickhouseDatabase } from './database.ts';
import type { Eraser } from './erasure.ts';
import type { Layout } from './schema.ts';

/** The writes of the store, in a database without transactions. */
export interface ClickhouseWriter {
  append(tenantId: string, events: readonly StoredEvent[], namesMax: number): Promise<AppendResult>;
  drop(tenantId: string): Promise<void>;
}

const COLUMNS = ['tenant', 'ts', 'insert_id', 'event_name', 'user_id', 'properties', 'received_at'] as const;

/**
 * Every step leaves the tables valid if it is the last: names are written before the events that have them, a
 * tenant is marked as dropped before its events are removed, and an append checks for that mark again after
 * it has stored events.
 */
export function createWriter(
  database: ClickhouseDatabase,
  { write, read }: Layout,
  eraser: Eraser,
): ClickhouseWriter {
  async function isDropped(tenantId: string): Promise<boolean> {
    const text = `select 1 from ${read.droppedTenants} where tenant = {p1:String} limit 1`;
    return (await database.ask(tenantId, { text, values: [tenantId] })).length > 0;
  }

  async function findPresent(tenantId: string, events: readonly StoredEvent[]): Promise<Set<string>> {
    if (events.length === 0) return new Set();
    const text = `select ts, insert_id from ${read.events} where tenant = {p1:String}
      and (ts, insert_id) in arrayZip({p2:Array(Int64)}, {p3:Array(String)})`;
    const values = [tenantId, events.map(({ eventTs }) => eventTs), events.map(({ insertId }) => insertId)];
    const rows = await database.ask(tenantId, { text, values });
    return new Set(rows.map(({ ts, insert_id }) => keyOf(ts as number, insert_id as string)));
  }

  async function readNames(tenantId: string): Promise<Set<string>> {
    const text = `select distinct event_name from ${read.eventNames} where tenant = {p1:String}`;
    const rows = await database.ask(tenantId, { text, values: [tenantId] });
    return new Set(rows.map(({ event_name }) => event_name as string));
  }

  const writer: ClickhouseWriter = {
    async append(tenantId, events, namesMax) {
      const [dropped, names, present, erasures] = await Promise.all([
        isDropped(tenantId),
        readNames(tenantId),
        findPresent(tenantId, events),
        eraser.findDecided(tenantId),
      ]);
      if (dropped) throw new ApiError('tenantNotFound');
      if (erasures.length > 0) {
        // An erased event that is still present would take precedence over the same event sent again.
        await eraser.finish(tenantId, erasures);
        return writer.append(tenantId, events, namesMax);
      }
      const { fresh, overNames } = planBatch(events, { present, names, namesMax });
      const stored = [...fresh.values()];
      // Every field is read before anything is stored.
      const rows = stored.map((event) => toRow(tenantId, event));
      const added = [...new Set(stored.map(({ eventName }) => eventName))].filter((name) => !names.has(name));
      if (added.length > 0) {
        const pairs = added.map((name) => [tenantId, name]);
        await database.insert(tenantId, write.eventNames, ['tenant', 'event_name'], pairs);
      }
      if (rows.length > 0) {
        await database.insert(tenantId, write.events, [...COLUMNS], rows);
        if (await isDropped(tenantId)) {
          await eraser.remove(tenantId);
          throw new ApiError('tenantNotFound');
        }
      }
      return resultOf(events, stored, overNames);
    },
    async drop(tenantId) {
      await database.insert(tenantId, write.droppedTenants, ['tenant'], [[tenantId]]);
      await eraser.remove(tenantId);
    },
  };
  return writer;
}

function toRow(tenantId: string, event: StoredEvent): readonly unknown[] {
  const { eventTs, insertId, eventName, userId, propertiesJson, receivedAt } = event;
  return [tenantId, eventTs, insertId, eventName, userId, propertiesJson, receivedAt ?? null];
}
