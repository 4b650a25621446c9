import { readFileSync } from 'node:fs';
import { nodeResources } from '../../adapters/node-http/index.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { createAdmin } from '../../src/index.ts';
import { sampleEvents } from '../events.ts';
import { fill, openSqlite, TENANT } from '../store/own-peers.ts';
import type { Alias } from './client.ts';
import { recordsIn } from '../../src/core/access/records.ts';

/** A tenant beside the one with the many events. */
const OTHER = 'c1c2a6de-2d3b-4a0e-8f4e-4f2b7b1f9e02';
const OTHER_ROWS = 1000;
/** For how long a server that has nothing to do has done nothing. */
const SETTLED_SECONDS = 5;
const SETTLING_SECONDS_MAX = 60;

/** A file with a tenant of sample events and one beside it; the secret of a key for each. */
export async function prepareFile(folder: string, rows: number): Promise<Record<Alias, string>> {
  const stores = openSqlite(folder);
  await fill(stores, sampleEvents(rows));
  const admin = createAdmin({ stores, runtime: nodeResources().runtime });
  const create = async (id: string, alias: Alias) => {
    await recordsIn(stores.control).tenants.create({
      ...{ id, alias, name: alias, plan: 'custom', limits: null, ingestion: null },
      ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 0 },
    });
    return (await admin.createKey(alias, { name: 'bench', permissions: ['query'] })).secret;
  };
  await stores.events.append(OTHER, [...sampleEvents(OTHER_ROWS)]);
  const secrets = { bench: await create(TENANT, 'bench'), other: await create(OTHER, 'other') };
  await stores.close();
  return secrets;
}

/** Events of other users than those that are there, as their sender writes them. */
export function freshEvents(count: number): string[] {
  return [...sampleEvents(count)].map(
    ({ eventName, userId, propertiesJson }) =>
      `{"eventName":${JSON.stringify(eventName)},"userId":"sent-${userId}","properties":${propertiesJson}}`,
  );
}

/** The seconds of processor time that a process has taken, in ticks of 10 ms. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Waits until a server has made what it makes in idle time. */
export async function settle(pid: number, isSmall: boolean): Promise<void> {
  const settled = isSmall ? 1 : SETTLED_SECONDS;
  for (let [quiet, waited] = [0, 0]; quiet < settled && waited < SETTLING_SECONDS_MAX; waited++) {
    const before = cpuSeconds(pid);
    await pause(1000);
    quiet = cpuSeconds(pid) - before > 0.05 ? 0 : quiet + 1;
  }
}
