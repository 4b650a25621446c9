import type { Command } from 'commander';
import type { Admin, Tenant, TenantEvents } from '../../../src/index.ts';
import { DEMO_EVENTS_COUNT, demoEvents } from './demo-events.ts';
import { applyConfig } from '../options/config.ts';
import { addServerOptions, serverOptionsOf, type ServerOptions } from '../options/server-options.ts';
import { write } from '../print/output.ts';
import { shellWord } from '../print/printable.ts';
import type { RunningServer } from '../server/run-server.ts';
import { loadSqlite } from '../stores/drivers.ts';
import type { ConnectionUrls } from '../stores/places.ts';
import { isOnLoopback } from '../values/urls.ts';
import { printLink } from './dashboard/link.ts';

const ALIAS = 'demo';
/** Distinguishes the tenant of this command from one that a user created under the same alias. */
export const DEMO_TENANT_NAME = 'Demo: events of a small shop';
/** The seed of the sample events, so that every demo has the same shop. */
export const DEMO_SEED = 20_240_501;
const BATCH_EVENTS = 1000;

/** `demo`: starts a server with a tenant, a key and a month of sample events, and prints commands to try. */
export function demoCommand(program: Command): void {
  addServerOptions(
    program.command('demo').description('serve with a tenant of sample events, and print commands to try'),
  )
    .addHelpText('after', '\nExample:\n  $ event-query demo --port 8080')
    .action(async (_options: object, self: Command) => {
      const options = readOptions(self);
      const { runServer } = await import('../server/run-server.ts');
      const announce = async (server: RunningServer) => {
        const secret = await prepare(server);
        const rest = secret === undefined ? laterText(options.places) : firstText(server.localUrl, secret);
        await write(`listening on ${server.url}\n${await driverText(options.places)}\n${rest}\n`);
        if (server.dashboardUrl !== undefined) await printLink(options.places, server.dashboardUrl);
      };
      await runServer(options, announce, () => (applyConfig(self), readOptions(self)));
    });
}

/** Which driver opens the file: without an installed one, newer versions of Node have their own. */
async function driverText({ control }: ConnectionUrls): Promise<string> {
  if (control.kind !== 'sqlite') return '';
  // The server has said already what is wrong with an installed one.
  const { name } = await loadSqlite(() => undefined);
  return `SQLite driver: ${name}\n`;
}

function readOptions(command: Command): ServerOptions {
  const asked = serverOptionsOf(command);
  return {
    ...asked,
    dashboard: isOnLoopback(asked.adminPort === undefined ? asked.host : asked.adminHost),
  };
}

/** Creates what is missing of the demo tenant; returns the secret of its key if this run created one. */
async function prepare({ admin, tenant: open }: RunningServer): Promise<string | undefined> {
  const tenant = await findOrCreate(admin);
  if (tenant.name !== DEMO_TENANT_NAME) return undefined;
  await addEvents(await open(ALIAS), tenant.createdAt);
  // The key is created last: after an interrupted first run there is none, and the next run creates it.
  if ((await admin.listKeys(ALIAS)).length > 0) return undefined;
  return (await admin.createKey(ALIAS, { name: 'demo', permissions: ['query'] })).secret;
}

async function findOrCreate(admin: Admin): Promise<Tenant> {
  const existing = (await admin.listTenants()).find(({ alias }) => alias === ALIAS);
  return existing ?? (await admin.createTenant({ alias: ALIAS, plan: 'scale', name: DEMO_TENANT_NAME }));
}

/**
 * Adds the missing sample events. They are derived from the creation time of the tenant, so a run after an
 * interrupted one makes the same events, and those already stored count as duplicates.
 */
async function addEvents(tenant: TenantEvents, createdAt: number): Promise<void> {
  const filterSet = [{ property: 'insertId', comparison: 'STARTS_WITH' as const, value: 'demo-' }];
  if ((await tenant.count({ filterSet })) >= DEMO_EVENTS_COUNT) return;
  const events = demoEvents(createdAt, DEMO_SEED);
  for (let i = 0; i < events.length; i += BATCH_EVENTS)
    await tenant.append(events.slice(i, i + BATCH_EVENTS));
}

function firstText(url: string, secret: string): string {
  const filter = { property: 'properties.order.total', comparison: 'GREATER_THAN', value: 50 };
  const queryBody = { event: 'order_placed', pagination: { size: 3 } };
  const countBody = { event: 'order_placed', filterSet: [filter] };
  const base = `${url}/v1/api/query`;
  return `The tenant demo has a month of events of a small shop. In another terminal, try:

The three newest orders:
${toCurl(`${base}/demo`, secret, queryBody)}

The number of orders above 50:
${toCurl(`${base}/count/demo`, secret, countBody)}

The names of all events:
${toCurl(`${base}/events/demo`, secret)}

The key is shown only now. Ctrl-C stops the server and keeps the data.
`;
}

function toCurl(url: string, secret: string, body?: object): string {
  const headers = `-H 'X-API-Key: ${secret}'`;
  if (body === undefined) return `curl '${url}' ${headers}`;
  return `curl '${url}' ${headers} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

function laterText({ control }: ConnectionUrls): string {
  const flags = control.kind === 'sqlite' ? ` --db ${shellWord(control.address)}` : '';
  return `Data from earlier runs is kept. To create another key:
npx event-query key create demo --name another --permission query${flags}
`;
}
