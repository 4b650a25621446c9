import { Option, type Command } from 'commander';
import type { AdminCredentials } from '../../../src/index.ts';
import { createAdminCredentials, parseRole, ROLES } from '../../../src/internal.ts';
import { toIsoInstant, type AdminCredential, type Role } from '../../../src/store-kit.ts';
import { failure } from '../process/errors.ts';
import { parseExpiry, parseHost, parsePort } from '../values/parse.ts';
import { note, printJson, printRows, write } from '../print/output.ts';
import type { TableColumn } from '../print/table.ts';
import { toLocalHost, toUrl } from '../values/urls.ts';
import { withStores, type Workplace } from '../stores/open-stores.ts';
import { placesOf, type ConnectionUrls } from '../stores/places.ts';

/** An Admin API key as it is printed, without its secret. */
interface AdminKeyView {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** Aliases; null for all tenants. */
  readonly tenants: readonly string[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

const COLUMNS: readonly TableColumn<AdminKeyView>[] = [
  { head: 'ID', text: ({ id }) => id },
  { head: 'ROLE', text: ({ role }) => role },
  { head: 'TENANTS', text: ({ tenants }) => tenants?.join(',') ?? 'all' },
  { head: 'CREATED AT', text: ({ createdAt }) => createdAt },
  { head: 'EXPIRES AT', text: ({ expiresAt }) => expiresAt ?? 'never' },
  { head: 'LAST USED AT', text: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
  { head: 'NAME', text: ({ name }) => name },
];

/** `dashboard`: sign-in links, and keys for the Admin API. */
export function dashboardCommand(program: Command): void {
  const dashboard = program
    .command('dashboard')
    .description('create sign-in links for the dashboard, and admin keys for programs')
    .addHelpText('after', '\nExample:\n  $ event-query dashboard link');
  linkSubcommand(dashboard);
  const key = dashboard
    .command('key')
    .description('manage admin keys for programs that use the Admin API')
    .addHelpText('after', '\nExample:\n  $ event-query dashboard key list');
  createSubcommand(key);
  listSubcommand(key);
  revokeSubcommand(key);
}

/** Prints a sign-in link for the dashboard of the server that uses these places. */
export async function printLink(places: ConnectionUrls, url: string): Promise<void> {
  await withPasses(places, async ({ credentials, by }) => {
    const holder = { name: by.who, role: 'admin', tenantIds: null } as const;
    const { secret } = await credentials.createLink(holder, by);
    await write(`dashboard: ${url}/sign-in#${secret}\nThe link works once, within ten minutes.\n`);
  });
}

function linkSubcommand(dashboard: Command): void {
  dashboard
    .command('link')
    .description('print a sign-in link that works once, within ten minutes')
    .addOption(
      new Option('--host <host>', 'the host of the dashboard')
        .env('HOST')
        .default('127.0.0.1')
        .argParser(parseHost),
    )
    .addOption(new Option('--port <port>', 'its port').env('PORT').default(8787).argParser(parsePort))
    .addHelpText('after', '\nExample:\n  $ event-query dashboard link --port 8080')
    .action(async ({ host, port }: { host: string; port: number }, self: Command) => {
      const url = toUrl(toLocalHost(host), port);
      await checkServed(url);
      await printLink(placesOf(self), url);
    });
}

/** How long a server on this machine may take to answer whether it serves the dashboard. */
const ASK_MS = 2_000;

/** Throws an Error when the server serves no dashboard; when no server answers, prints a note only. */
async function checkServed(url: string): Promise<void> {
  let status: number;
  try {
    const signal = AbortSignal.timeout(ASK_MS);
    ({ status } = await fetch(`${url}/sign-in`, { method: 'HEAD', signal }));
  } catch {
    note(`no server answers at ${url} now: start one with serve --dashboard to use the link`);
    return;
  }
  if (status === 404) throw failure(`the server at ${url} serves no dashboard: start it with --dashboard`);
}

interface CreateOptions {
  readonly name: string;
  readonly role: Role;
  readonly tenant?: readonly string[];
  readonly expires?: number;
}

function createSubcommand(key: Command): void {
  key
    .command('create')
    .description('create an admin key and print its secret once')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      new Option('--role <role>', 'a viewer reads and queries; an admin also makes changes')
        .choices(ROLES)
        .makeOptionMandatory(),
    )
    .option('--tenant <alias...>', 'only for these tenants')
    .option(
      '--expires <date>',
      'YYYY-MM-DD (through the end of that UTC day) or an ISO 8601 instant',
      parseExpiry,
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ event-query dashboard key create --name backups --role viewer --tenant shop',
    )
    .action(async ({ name, role, tenant, expires }: CreateOptions, self: Command) =>
      withPasses(placesOf(self), async ({ credentials, by, admin }) => {
        const tenants = tenant && (await Promise.all(tenant.map((alias) => admin.getTenant(alias))));
        const tenantIds = tenants?.map(({ id }) => id) ?? null;
        const holder = { name, role: parseRole(role), tenantIds };
        const { secret, credential } = await credentials.createKey(holder, expires ?? null, by);
        await write(`${secret}\n`);
        note(
          `The secret of ${name} (${credential.id}), shown only now. ` +
            'Send it as Authorization: Bearer SECRET.',
        );
      }),
    );
}

function listSubcommand(key: Command): void {
  key
    .command('list')
    .description('list admin keys, oldest first, without secrets')
    .option('--json', 'print an array of keys as JSON')
    .addHelpText('after', '\nExample:\n  $ event-query dashboard key list')
    .action(async (_options: object, self: Command) => {
      const { json } = self.optsWithGlobals<{ readonly json?: boolean }>();
      await withPasses(placesOf(self), async ({ credentials, admin }) => {
        const aliases = new Map((await admin.listTenants()).map(({ id, alias }) => [id, alias]));
        const views = (await credentials.keys()).map((credential) => toView(credential, aliases));
        await (json === true ? printJson(views) : printRows(views, COLUMNS));
      });
    });
}

function revokeSubcommand(key: Command): void {
  key
    .command('revoke <id>')
    .description('revoke an admin key from the next request on')
    .addHelpText(
      'after',
      '\nExample:\n  $ event-query dashboard key revoke 2f1c7d7e-4c8e-4bb0-9e0a-0d4f1f6f3c11',
    )
    .action(async (id: string, _options: object, self: Command) =>
      withPasses(placesOf(self), async ({ credentials, by }) => {
        const credential = (await credentials.keys()).find((each) => each.id === id);
        if (credential === undefined || !(await credentials.end(credential, by)))
          throw failure(`there is no admin key ${id}`);
        await write(`revoked ${credential.name} (${id})\n`);
      }),
    );
}

/** Opens the stores and their admin credentials. */
async function withPasses(
  places: ConnectionUrls,
  work: (desk: Workplace & { readonly credentials: AdminCredentials }) => Promise<void>,
): Promise<void> {
  await withStores(places, 'existing', async (workplace) => {
    const { admins } = workplace.stores;
    if (admins === undefined) throw failure('this backend cannot store administrators');
    await work({ ...workplace, credentials: createAdminCredentials({ admins, runtime: workplace.runtime }) });
  });
}

function toView(credential: AdminCredential, aliases: ReadonlyMap<string, string>): AdminKeyView {
  const { id, name, role, tenantIds, createdAt, expiresAt, lastUsedAt } = credential;
  const toTime = (ms: number | null) => (ms === null ? null : toIsoInstant(ms));
  return {
    ...{ id, name, role },
    tenants: tenantIds?.map((each) => aliases.get(each) ?? each) ?? null,
    createdAt: toIsoInstant(createdAt),
    expiresAt: toTime(expiresAt),
    lastUsedAt: toTime(lastUsedAt),
  };
}
