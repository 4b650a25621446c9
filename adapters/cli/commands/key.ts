import { Option, type Command } from 'commander';
import { isApiError, type ApiKey, type FilterEntry, type IssuedKey } from '../../../src/index.ts';
import {
  DEFAULT_WRITE_LIMITS,
  keyStateOf,
  liveSecretsOf,
  PERMISSIONS,
  type KeyState,
} from '../../../src/internal.ts';
import { toIsoInstant, type KeyRestrictions, type KeyRestrictionsOptions } from '../../../src/store-kit.ts';
import { parseFilterText, toFilterText } from '../options/filter-text.ts';
import { failure, misuse } from '../process/errors.ts';
import { orNothing, orRevoke } from '../process/or-revoke.ts';
import { withStores, type Workplace } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';
import { collect, parseDuration, parseExpiry, parseWholeNumber } from '../values/parse.ts';
import { note, printJson, printList, write } from '../print/output.ts';
import { printable } from '../print/printable.ts';
import type { TableColumn } from '../print/table.ts';

interface Printing {
  readonly json?: boolean;
}

/** A key as it is printed, without secrets and their hashes. */
interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  /** Of a public write key; null for any other. */
  readonly restrictions: KeyRestrictions | null;
  /** The events that it reads; null for all. */
  readonly filterSet: readonly FilterEntry[] | null;
  /** The newest text of a public write key, which is no secret; null for any other. */
  readonly writeKey: string | null;
  readonly state: KeyState;
  /** How many secrets are valid now: two while a rotation overlaps. */
  readonly secrets: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

const JSON_FIELDS = `
--json prints id, name, permissions, restrictions and writeKey (of a public write key, else null),
filterSet (of a key that reads only some events, else null),
state (active, expired, revoked), secrets (how many are valid now), createdAt, expiresAt, revokedAt and
lastUsedAt; create and rotate add the secret. list prints an array.`;

const CREATE_EXAMPLES = `
Examples:
  $ event-query key create shop --name backend --permission query
  $ event-query key create shop --name partner --permission query --filter 'eventName = "ordered"'
  $ event-query key create shop --name web --permission write --origin https://shop.example`;

const KEY_COLUMNS: readonly TableColumn<KeyView>[] = [
  { head: 'ID', text: ({ id }) => id },
  { head: 'STATE', text: ({ state }) => state },
  { head: 'PERMISSIONS', text: ({ permissions }) => permissions.join(',') },
  { head: 'CREATED AT', text: ({ createdAt }) => createdAt },
  { head: 'EXPIRES AT', text: ({ expiresAt }) => expiresAt ?? 'never' },
  { head: 'LAST USED AT', text: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
  { head: 'READS', text: ({ filterSet }) => filterSet?.map(entryText).join(' and ') ?? '' },
  { head: 'ORIGINS', text: ({ restrictions }) => restrictions?.origins.join(',') ?? '' },
  { head: 'WRITE KEY', text: ({ writeKey }) => writeKey ?? '' },
  { head: 'NAME', text: ({ name }) => name },
];

const { eventsPerMinute, eventsPerDay } = DEFAULT_WRITE_LIMITS;

/** `key`: create, list, set, revoke, rotate. */
export function keyCommand(program: Command): void {
  const key = program
    .command('key')
    .description('create, rotate and revoke API keys')
    .addHelpText('after', '\nExample:\n  $ event-query key create shop --name backend --permission query');
  createSubcommand(key);
  listSubcommand(key);
  setSubcommand(key);
  revokeSubcommand(key);
  rotateSubcommand(key);
}

function createSubcommand(key: Command): void {
  addRestrictions(key.command('create <alias>'))
    .description('create a key and print its secret once')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      new Option(
        '--permission <permission...>',
        'the Query API, ingestion with SERVER_SIDE, or both; or write, for a public write key',
      )
        .choices(PERMISSIONS)
        .makeOptionMandatory(),
    )
    .option(
      '--filter <filter>',
      'query: it reads only the events that match, as with count; repeatable',
      collect,
    )
    .option(
      '--expires <date>',
      'YYYY-MM-DD (through the end of that UTC day) or an ISO 8601 instant',
      parseExpiry,
    )
    .option('--json', 'print the key and its secret as JSON')
    .addHelpText('after', `${JSON_FIELDS}\n${CREATE_EXAMPLES}`)
    .action(async (alias: string, options: CreateOptions, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      const { name, permission: permissions, filter, expires } = options;
      const expiry = expires === undefined ? {} : { expiresAt: expires };
      const restricted = {
        ...toRestrictions(options),
        ...(filter === undefined ? {} : { filterSet: filter.map((each) => parseFilterText(each) as never) }),
      };
      await withStores(placesOf(self), 'existing', async ({ admin, runtime }) => {
        const issued = await admin.createKey(alias, { name, permissions, ...restricted, ...expiry });
        await orRevoke(
          () => printIssued(issued, runtime.now(), json),
          () => admin.revokeKey(alias, issued.key.id),
        );
      });
    });
}

/** Adds the flags for the restrictions of a public write key. */
function addRestrictions(command: Command): Command {
  return command
    .option(
      '--origin <origin...>',
      'write: the origins of the pages that may send with it, or * for any sender',
    )
    .option('--event <name...>', 'write: the only event names that may be sent with it')
    .option('--per-minute <n>', `write: events a minute, by default ${eventsPerMinute}`, parseWholeNumber)
    .option('--per-day <n>', `write: events a day, by default ${eventsPerDay}`, parseWholeNumber);
}

interface CreateOptions extends RestrictionOptions {
  readonly name: string;
  readonly permission: readonly string[];
  readonly filter?: readonly string[];
  readonly expires?: number;
}

interface RestrictionOptions {
  readonly origin?: readonly string[];
  readonly event?: readonly string[];
  readonly perMinute?: number;
  readonly perDay?: number;
}

/** The restrictions of a public write key, which no other key has. The core checks them. */
function toRestrictions(options: CreateOptions): { readonly restrictions?: KeyRestrictionsOptions } {
  const { origins, ...others } = restrictionsOf(options);
  if (options.permission.includes('write')) {
    if (origins === undefined)
      throw misuse('a public write key needs --origin: the origins of its pages, or * for any sender');
    return { restrictions: { origins, ...others } };
  }
  if (origins !== undefined || Object.keys(others).length > 0)
    throw misuse('what restricts a key is for one with the permission write only');
  return {};
}

/** The restrictions that flags name. */
function restrictionsOf({
  origin,
  event,
  perMinute,
  perDay,
}: RestrictionOptions): Partial<KeyRestrictionsOptions> {
  return {
    ...(origin === undefined ? {} : { origins: origin }),
    ...(event === undefined ? {} : { eventNames: event }),
    ...(perMinute === undefined ? {} : { eventsPerMinute: perMinute }),
    ...(perDay === undefined ? {} : { eventsPerDay: perDay }),
  };
}

function listSubcommand(key: Command): void {
  key
    .command('list <alias>')
    .description('list the keys of a tenant, oldest first, without secrets')
    .option('--json', 'print an array of keys as JSON')
    .addHelpText('after', `${JSON_FIELDS}\n\nExample:\n  $ event-query key list shop`)
    .action(async (alias: string, _options: object, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'existing', async ({ admin, runtime }) => {
        const views = (await admin.listKeys(alias)).map((each) => toView(each, runtime.now()));
        await printList(views, KEY_COLUMNS, json);
      });
    });
}

const SET_HELP = `
Only the restrictions of the flags change, from the next request on. What was sent stays counted.

Examples:
  $ event-query key set shop 2f1c7d7e-4c8e-4bb0-9e0a-0d4f1f6f3c11 --origin https://shop.example
  $ event-query key set shop 2f1c7d7e-4c8e-4bb0-9e0a-0d4f1f6f3c11 --reset-limits`;

interface SetKeyOptions extends RestrictionOptions {
  readonly anyEvent?: boolean;
  readonly resetLimits?: boolean;
}

function setSubcommand(key: Command): void {
  addRestrictions(key.command('set <alias> <id>'))
    .description('change the restrictions of a public write key, or the used limits of any key')
    .addOption(
      new Option('--any-event', 'write: any event name may be sent with it again').conflicts('event'),
    )
    .option('--reset-limits', 'refill its limits, if a wrong clock has locked the key')
    .addHelpText('after', SET_HELP)
    .action(async (alias: string, id: string, options: SetKeyOptions, self: Command) => {
      const { anyEvent = false, resetLimits = false } = options;
      const restrictions = { ...restrictionsOf(options), ...(anyEvent ? { eventNames: null } : {}) };
      const isChanged = Object.keys(restrictions).length > 0;
      if (!isChanged && !resetLimits)
        throw misuse(
          'key set needs --origin, --event, --any-event, --per-minute, --per-day or --reset-limits',
        );
      await withStores(placesOf(self), 'existing', async ({ admin }) => {
        if (isChanged) {
          await ofKey(() => admin.updateKey(alias, id, { restrictions }));
          await write(`changed the restrictions of ${printable(id)}\n`);
        }
        if (!resetLimits) return;
        await ofKey(() => admin.resetLimits(alias, id));
        await write(`reset the limits of ${printable(id)}\n`);
      });
    });
}

function revokeSubcommand(key: Command): void {
  key
    .command('revoke <alias> <id>')
    .description('revoke a key from the next request on')
    .option('--json', 'print the key as JSON')
    .addHelpText('after', '\nExample:\n  $ event-query key revoke shop 2f1c7d7e-4c8e-4bb0-9e0a-0d4f1f6f3c11')
    .action(async (alias: string, id: string, _options: object, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'existing', async ({ admin, runtime }) => {
        const view = toView(await ofKey(() => admin.revokeKey(alias, id)), runtime.now());
        if (json === true) await printJson(view);
        else await write(`revoked ${printable(view.name)} (${view.id})\n`);
      });
    });
}

function rotateSubcommand(key: Command): void {
  key
    .command('rotate <alias> <id>')
    .description('give a key a new secret and print it once; the old one stays valid for a while')
    .addOption(
      new Option('--overlap <duration>', 'validity of the old secret: 0, 30m, 24h, 7d')
        .argParser(parseDuration)
        .default(parseDuration('1d'), '1d'),
    )
    .option('--json', 'print the key and its new secret as JSON')
    .addHelpText(
      'after',
      `
The key keeps its id. Give the new secret to who uses the key: the old one ends by itself, at once with
--overlap 0. "key revoke" would end both.

Example:
  $ event-query key rotate shop 2f1c7d7e-4c8e-4bb0-9e0a-0d4f1f6f3c11 --overlap 7d`,
    )
    .action(async (alias: string, id: string, { overlap }: { overlap: number }, self: Command) => {
      const { json } = self.optsWithGlobals<Printing>();
      await withStores(placesOf(self), 'existing', async ({ admin, runtime }: Workplace) => {
        // The secret is printed first: one that was never seen must not shorten the life of the old one.
        const show = (issued: IssuedKey) => orNothing(() => printIssued(issued, runtime.now(), json));
        const issued = await ofKey(() => admin.rotateKey(alias, id, overlap, show));
        if (json !== true) note(sayOld(issued.key, runtime.now()));
      });
    });
}

/** What is left of a key's former secrets. Revoking the key to end them would end the new one, too. */
function sayOld({ secrets }: ApiKey, now: number): string {
  const ends = secrets.slice(0, -1).flatMap(({ expiresAt }) => expiresAt ?? []);
  const left = ends.filter((expiresAt) => now < expiresAt);
  if (left.length === 0) return 'The old secret is not valid any more.';
  const until = toIsoInstant(Math.max(...left));
  return left.length === 1
    ? `The old secret is valid until ${until}; "key revoke" would end both.`
    : `The old secrets are valid until ${until} at most; "key revoke" would end all.`;
}

/** Reports a missing or revoked key as a failure, not as wrong usage. */
async function ofKey<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    throw isApiError(error) && error.status === 400 ? failure(error.message) : error;
  }
}

function toView(key: ApiKey, now: number): KeyView {
  const { id, name, permissions, restrictions, filterSet, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const live = liveSecretsOf(key, now);
  return {
    id,
    name,
    permissions,
    restrictions,
    filterSet,
    writeKey: live.at(-1)?.text ?? null,
    state: keyStateOf(key, now),
    secrets: live.length,
    createdAt: toIsoInstant(createdAt),
    expiresAt: toTime(expiresAt),
    revokedAt: toTime(revokedAt),
    lastUsedAt: toTime(lastUsedAt),
  };
}

/** An entry of a `filterSet` as `--filter` takes it; a group of entries as JSON. */
const entryText = (entry: FilterEntry) => ('property' in entry ? toFilterText(entry) : JSON.stringify(entry));

function toTime(ms: number | null): string | null {
  return ms === null ? null : toIsoInstant(ms);
}

async function printIssued(
  { key, secret, namesakes }: IssuedKey,
  now: number,
  json?: boolean,
): Promise<void> {
  if (namesakes.length > 0) note(`Other live keys have the same name: ${namesakes.join(', ')}.`);
  if (json === true) {
    const { id, name, permissions, ...rest } = toView(key, now);
    return printJson({ id, name, permissions, secret, ...rest });
  }
  await write(`${secret}\n`);
  if (key.restrictions !== null) {
    note(`The public write key ${key.name} (${key.id}). Pages may show it, and key list prints it again.`);
    return;
  }
  note(`The secret of ${key.name} (${key.id}). It is shown only now; keep it out of browsers.`);
}
