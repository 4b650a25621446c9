import type { Command } from 'commander';
import { tenantIdsOf } from '../../../../src/internal.ts';
import { toIsoInstant, type AdminCredential } from '../../../../src/store-kit.ts';
import { failure, misuse } from '../../process/errors.ts';
import { printList, write } from '../../print/output.ts';
import type { TableColumn } from '../../print/table.ts';
import { placesOf } from '../../stores/places.ts';
import { toTime, withDesk } from './credentials.ts';

/** A session or an unused link, as it is printed. */
interface SessionView {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** Aliases; null for all tenants. */
  readonly tenants: readonly string[] | null;
  /** How the person signed in. */
  readonly by: string;
  /** Whether it is an unused link. */
  readonly isPending: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

/** How many characters of an id name a session, where no other begins with them. */
const SHORT_ID = 8;

const COLUMNS: readonly TableColumn<SessionView>[] = [
  { head: 'ID', text: ({ id }) => id.slice(0, SHORT_ID) },
  { head: 'ROLE', text: ({ role }) => role },
  { head: 'TENANTS', text: ({ tenants }) => tenants?.join(',') ?? 'all' },
  { head: 'SINCE', text: ({ createdAt }) => createdAt },
  { head: 'LAST USED AT', text: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
  { head: 'EXPIRES AT', text: ({ expiresAt }) => expiresAt ?? 'never' },
  { head: 'SIGNED IN BY', text: ({ by, isPending }) => (isPending ? `${by}, not used yet` : by) },
  { head: 'NAME', text: ({ name }) => name },
];

/** `dashboard sessions` and `dashboard session end`: who is signed in, and how that ends. */
export function sessionCommands(dashboard: Command): void {
  dashboard
    .command('sessions')
    .description('list who is signed in to the dashboard, by name, without secrets')
    .option('--json', 'print an array of sessions as JSON')
    .addHelpText('after', '\nExample:\n  $ event-query dashboard sessions')
    .action(async (_options: object, self: Command) => {
      const { json } = self.optsWithGlobals<{ readonly json?: boolean }>();
      await withDesk(placesOf(self), async ({ people, by }) => {
        const { sessions, aliases } = await people.list({ by });
        const views = sessions.map((each) => toView(each, aliases)).reverse();
        // The sort is stable: of one person, the oldest session stays first.
        views.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
        await printList(views, COLUMNS, json);
      });
    });
  dashboard
    .command('session')
    .description('end sessions of the dashboard')
    .addHelpText('after', '\nExample:\n  $ event-query dashboard session end 2f1c7d7e')
    .command('end [id]')
    .description('end a session from the next request on, or all of a person')
    .option('--name <name>', 'all sessions and unused links with this name')
    .addHelpText(
      'after',
      '\nExamples:\n  $ event-query dashboard session end 2f1c7d7e' +
        '\n  $ event-query dashboard session end --name ada',
    )
    .action(async (id: string | undefined, { name }: { readonly name?: string }, self: Command) => {
      if ((id === undefined) === (name === undefined))
        throw misuse('say which: the id of a session, or --name for all of a person');
      await withDesk(placesOf(self), async ({ credentials, people, by }) => {
        const all = await credentials.sessions();
        if (name !== undefined && !all.some((each) => each.name === name))
          throw failure(`nobody named ${name} is signed in`);
        const which = id === undefined ? { name: name! } : { id: findOne(all, id).id };
        for (const session of await people.end({ by }, which))
          await write(`ended ${session.kind} ${session.id.slice(0, SHORT_ID)} of ${session.name}\n`);
      });
    });
}

const noSuch = (id = '') => `there is no session ${id}; dashboard sessions lists them`;

/** The session whose id is this, or begins so. Throws an Error where there is none, or several. */
function findOne(sessions: readonly AdminCredential[], id: string): AdminCredential {
  const found = id.length < SHORT_ID ? [] : sessions.filter((each) => each.id.startsWith(id));
  if (found.length > 1)
    throw failure(`several sessions begin with ${id}; dashboard sessions --json has all ids`);
  if (found[0] === undefined) throw failure(noSuch(id));
  return found[0];
}

function toView(session: AdminCredential, aliases: ReadonlyMap<string, string>): SessionView {
  const { id, kind, name, role, identity, invitation } = session;
  return {
    ...{ id, name, role },
    tenants: tenantIdsOf(session)?.map((each) => aliases.get(each) ?? each) ?? null,
    by: identity?.issuer ?? (invitation === null ? 'link' : `link of ${invitation.by}`),
    isPending: kind === 'link',
    createdAt: toIsoInstant(session.createdAt),
    lastUsedAt: toTime(session.lastUsedAt),
    expiresAt: toTime(session.expiresAt),
  };
}
