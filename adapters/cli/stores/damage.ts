import { verifySqlite } from '../../sqlite/index.ts';
import { failure } from '../process/errors.ts';
import { connectQuietly, type SqliteDriver } from './drivers.ts';

/** What is looked at. */
interface Looked {
  readonly connect: SqliteDriver['connect'];
  /** Whether the file holds the tenants of its events. */
  readonly holdsTenants: boolean;
  /** Leaves out what concerns other tenants. */
  readonly tenantId?: string;
}

/**
 * Throws an Error for a file that `check` calls damaged. What is taken from such a file may be a part of what
 * it held, and would be told as all of it.
 */
export function refuseDamaged(file: string, { connect, holdsTenants, tenantId }: Looked): void {
  const { findings } = verifySqlite(() => connectQuietly(file, connect), { holdsTenants });
  const [first, ...others] = findings.filter(
    (each) => each.matters && (tenantId === undefined || (each.tenantId ?? tenantId) === tenantId),
  );
  if (first === undefined) return;
  const more = others.length > 0 ? `, and ${others.length} more findings` : '';
  throw failure(
    `${file} is damaged: ${first.message}${more}; nothing was changed. "event-query check" of this file ` +
      'lists all, and its --repair saves what is readable',
  );
}
