import type { Command } from 'commander';
import { isApiError } from '../../../src/index.ts';
import type { StoredSizes } from '../../../src/internal.ts';
import { misuse } from '../process/errors.ts';
import { withStores } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';
import { note, printJson, printList, printRows, write } from '../print/output.ts';
import type { TableColumn } from '../print/table.ts';
import {
  addAuthOptions,
  addPlanOptions,
  toAuth,
  toChanges,
  toKept,
  toPlan,
  type TenantFlags,
  type SetOptions,
} from '../options/tenant-options.ts';
import {
  printTenant,
  TENANT_COLUMNS,
  TENANT_FIELDS_HELP,
  toTenantView,
  type TenantView,
} from '../print/tenant-view.ts';

interface Printing {
  readonly json?: boolean;
}

/** `tenant`: create, list, show, sizes, set, delete. */
export function tenantCommand(program: Command): void {
  const tenant = program
    .command('tenant')
    .description('create and change tenants')
    .addHelpText('after', '\nExample:\n  $ event-query tenant create shop --plan growth --name "The shop"');
  createSubcommand(tenant);
  listSubcommand(tenant);
  showSubcommand(tenant);
  sizesSubcommand(tenant);
  setSubcommand(tenant);
  deleteSubcommand(tenant);
}

function createSubcommand(tenant: Command): void {
  const creating = tenant
    .command('create <alias>')
    .description('create a tenant, without request limits unless --plan sets them');
  addAuthOptions(addPlanOptions(creating))
    .option('--if-absent', 'if the alias exists, say so and leave the tenant unchanged')
    .option('--json', 'print the tenant as JSON')
    .addHelpText(
      'after',
      `${TENANT_FIELDS_HELP}\n\nExample:\n  $ event-query tenant create shop --plan growth`,
    )
    .action(async (alias: string, options: TenantFlags, self: Command) => {
      const plan = toPlan({ plan: 'custom', ...options });
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'create', async ({ admin, engine }) => {
        const name = options.name === undefined ? {} : { name: options.name };
        const settings = { ...plan, ...name, ...toKept(options), ...toAuth(options, null) };
        const creating = admin.createTenant({ alias, ...settings });
        const tenant = await creating.catch((error: unknown) => {
          if (options.ifAbsent !== true || !isApiError(error) || error.status !== 409) throw error;
          note(`the tenant ${alias} already exists and is unchanged`);
          return admin.getTenant(alias);
        });
        await printTenant(await toTenantView(tenant, engine), json);
      });
    });
}

function listSubcommand(tenant: Command): void {
  tenant
    .command('list')
    .description('list all tenants')
    .option('--json', 'print an array of tenants as JSON')
    .addHelpText('after', `${TENANT_FIELDS_HELP}\n\nExample:\n  $ event-query tenant list`)
    .action(async (_options: object, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'existing', async ({ admin, engine }) => {
        const views: TenantView[] = [];
        for (const each of await admin.listTenants()) views.push(await toTenantView(each, engine));
        await printList(views, TENANT_COLUMNS, json);
      });
    });
}

function showSubcommand(tenant: Command): void {
  tenant
    .command('show <alias>')
    .description('show one tenant')
    .option('--json', 'print the tenant as JSON')
    .addHelpText('after', `${TENANT_FIELDS_HELP}\n\nExample:\n  $ event-query tenant show shop --json`)
    .action(async (alias: string, _options: object, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'existing', async ({ admin, engine }) =>
        printTenant(await toTenantView(await admin.getTenant(alias), engine), json),
      );
    });
}

const SIZES_COLUMNS: readonly TableColumn<StoredSizes['names'][number]>[] = [
  { head: 'BYTES', text: ({ bytes }) => String(bytes) },
  { head: 'EVENTS', text: ({ events }) => String(events) },
  { head: 'EVENT', text: ({ eventName }) => eventName },
];

function sizesSubcommand(tenant: Command): void {
  tenant
    .command('sizes <alias>')
    .description('print how many events and bytes are stored of each name, the largest first; reads them all')
    .option('--json', 'print the sizes as JSON')
    .addHelpText(
      'after',
      `
Bytes are those of an export: JSON in UTF-8, a line each.
--json prints events and bytes of all, and names: an array with eventName, events and bytes of each.

Example:\n  $ event-query tenant sizes shop`,
    )
    .action(async (alias: string, _options: object, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'existing', async ({ admin, operations }) => {
        const { id } = await admin.getTenant(alias);
        const sizes = await operations.storedSizes(id);
        if (json === true) return printJson(sizes);
        await printRows(sizes.names, SIZES_COLUMNS);
        note(`${sizes.bytes} bytes in ${sizes.events} events`);
      });
    });
}

function setSubcommand(tenant: Command): void {
  const setting = tenant
    .command('set <alias>')
    .description('change a tenant; takes effect from the next request');
  addAuthOptions(addPlanOptions(setting))
    .option(
      '--reset-limits',
      'refill the limits of the tenant and its keys, if a wrong clock has locked them',
    )
    .option('--json', 'print the tenant as JSON')
    .addHelpText(
      'after',
      `${TENANT_FIELDS_HELP}
\nExample:\n  $ event-query tenant set shop --auth JWT --jwt-issuer https://login.example \\
      --jwt-audience shop --jwks-url https://login.example/jwks.json`,
    )
    .action(async (alias: string, options: SetOptions, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'existing', async ({ admin, engine }) => {
        const changed = await admin.updateTenant(alias, toChanges(options, await admin.getTenant(alias)));
        if (options.resetLimits === true) await admin.resetLimits(alias);
        await printTenant(await toTenantView(changed, engine), json);
      });
    });
}

function deleteSubcommand(tenant: Command): void {
  tenant
    .command('delete <alias>')
    .description('delete a tenant with its keys and all its events, permanently')
    .option('--yes', 'confirm the deletion')
    .option('--json', 'print what was deleted as JSON')
    .addHelpText('after', '\nExample:\n  $ event-query tenant delete shop --yes')
    .action(async (alias: string, options: { yes?: boolean }, self: Command) => {
      if (options.yes !== true) throw misuse(`this deletes ${alias} and all its events; confirm with --yes`);
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'existing', async ({ admin, engine }) => {
        const { id, events } = await toTenantView(await admin.getTenant(alias), engine);
        await admin.deleteTenant(alias);
        if (json === true) await printJson({ id, alias, events });
        else await write(`deleted ${alias} with ${events} events\n`);
      });
    });
}
