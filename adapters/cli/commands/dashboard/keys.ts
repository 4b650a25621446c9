import type { Command } from 'commander';
import { parseRole } from '../../../../src/internal.ts';
import { toIsoInstant, type AdminCredential, type Role } from '../../../../src/store-kit.ts';
import { failure } from '../../process/errors.ts';
import { orRevoke } from '../../process/or-revoke.ts';
import { note, printList, write } from '../../print/output.ts';
import type { TableColumn } from '../../print/table.ts';
import { placesOf } from '../../stores/places.ts';
import { parseExpiry } from '../../values/parse.ts';
import { idsOf, namerOfTenants, roleOption, toTime, withDesk } from './credentials.ts';

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

/** `dashboard key`: keys for programs that use the Admin API. */
export function keyCommand(dashboard: Command): void {
  const key = dashboard
    .command('key')
    .description('manage admin keys for programs that use the Admin API')
    .addHelpText('after', '\nExample:\n  $ event-query dashboard key list');
  createSubcommand(key);
  listSubcommand(key);
  revokeSubcommand(key);
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
    .addOption(roleOption().makeOptionMandatory())
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
      withDesk(placesOf(self), async ({ credentials, by, admin }) => {
        const tenantIds = await idsOf({ admin }, tenant);
        const holder = { name, role: parseRole(role), tenantIds };
        const { secret, credential } = await credentials.createKey(holder, expires ?? null, by);
        await orRevoke(
          () => write(`${secret}\n`),
          () => credentials.end(credential, by),
        );
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
      await withDesk(placesOf(self), async ({ credentials, admin }) => {
        const nameOf = await namerOfTenants({ admin });
        const views = (await credentials.keys()).map((credential) => toView(credential, nameOf));
        await printList(views, COLUMNS, json);
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
      withDesk(placesOf(self), async ({ credentials, by }) => {
        const credential = (await credentials.keys()).find((each) => each.id === id);
        if (credential === undefined || !(await credentials.end(credential, by)))
          throw failure(`there is no admin key ${id}`);
        await write(`revoked ${credential.name} (${id})\n`);
      }),
    );
}

function toView(
  { id, name, role, tenantIds, createdAt, expiresAt, lastUsedAt }: AdminCredential,
  nameOf: Awaited<ReturnType<typeof namerOfTenants>>,
): AdminKeyView {
  return {
    ...{ id, name, role },
    tenants: nameOf(tenantIds),
    createdAt: toIsoInstant(createdAt),
    expiresAt: toTime(expiresAt),
    lastUsedAt: toTime(lastUsedAt),
  };
}
