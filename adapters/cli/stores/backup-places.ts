import { failure } from '../process/errors.ts';
import { filesOf } from './open-stores.ts';
import type { ConnectionUrls } from './places.ts';

/** What backs up, restores and checks a database. Limits need no backup: they refill within a day. */
const OTHER_WAYS = {
  postgres: { backup: 'pg_dump --schema=event_query', restore: 'psql or pg_restore', check: 'pg_amcheck' },
  clickhouse: { backup: 'BACKUP DATABASE', restore: 'RESTORE DATABASE', check: 'CHECK TABLE' },
} as const;

/** What a sentence says for each task. */
const TASKS = { backup: 'back them up', restore: 'restore them', check: 'check them' } as const;

/**
 * The file of a command's places, and a sentence for each place that a copy of the file does not contain.
 * Throws an Error that says what to run instead if there is no file.
 */
export function fileToBackUp(
  { events, control, limits }: ConnectionUrls,
  task: keyof (typeof OTHER_WAYS)['postgres'],
): { readonly file: string; readonly elsewhere: readonly string[] } {
  const roles = { events, 'tenants and keys': control };
  const elsewhere = Object.entries(roles).flatMap(([what, { kind }]) =>
    kind === 'postgres' || kind === 'clickhouse'
      ? [`${what} are in ${kind}: ${TASKS[task]} with ${OTHER_WAYS[kind][task]}`]
      : [],
  );
  const [file, second] = filesOf({ events, control, limits });
  if (file === undefined || (elsewhere.length === 2 && limits.kind === 'sqlite'))
    throw failure(`${task} is for a file; ${elsewhere.join('; ')}`);
  if (second !== undefined) throw failure(`there are two files, ${file} and ${second}: name one with --db`);
  return { file, elsewhere };
}
