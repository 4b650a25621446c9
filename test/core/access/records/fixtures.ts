import { describe, expect, it } from 'vitest';
import { memoryControlStore } from '../../../../adapters/memory/index.ts';
import { recordsIn, type Records } from '../../../../src/core/access/records.ts';
import { describeSuite, newTenantId, type CreateFixture, type Suite } from '../../../conformance/runner.ts';
import { sqliteStoresFixture } from '../../../conformance/sqlite-fixture.ts';

/** Stores that need no server, with records in them. */
const STORES: readonly (readonly [string, CreateFixture<Records>])[] = [
  ['memory', () => ({ store: recordsIn(memoryControlStore()) })],
  ['sqlite', () => sqliteStoresFixture(({ control }) => recordsIn(control))],
];

/** Declares tests of records, for each store. */
export function describeRecords(title: string, define: (suite: Suite<Records>) => void): void {
  for (const [name, create] of STORES)
    describeSuite(`${title}: ${name}`, create, { describe, it, expect }, { numRuns: 30 }, define);
}

/** Adds a tenant; returns its id. */
export async function addTenant({ tenants }: Records, id = newTenantId()): Promise<string> {
  await tenants.create({
    ...{ id, alias: id, name: id, plan: 'scale', limits: null, ingestion: 'default' },
    ...{ authStrategy: 'NONE', jwt: null, createdAt: 5, retentionDays: null },
  });
  return id;
}
