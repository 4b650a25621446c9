import type { Signal } from '../../src/index.ts';
import { createDraft, EVERYTHING, writeWhere, type Statement, type TreeDialect } from '../sql/index.ts';
import type { ClickhouseRow } from './database.ts';

/** Runs one statement for a tenant. */
type Ask = (tenantId: string, statement: Statement, signal?: Signal) => Promise<readonly ClickhouseRow[]>;

/** Greater than the version of any event: versions decrease with time. */
const VERSION_MAX = '18446744073709551615';

/**
 * Runs work of several statements on the same events of a tenant: those that exist now. Events that arrive
 * meanwhile have smaller versions and are not seen. If the existing events change, as during an erasure, the
 * work is repeated.
 */
export async function overOneState<T>(
  dialect: TreeDialect,
  table: string,
  { tenantId, signal, ask }: { tenantId: string; signal: Signal | undefined; ask: Ask },
  work: (dialect: TreeDialect) => Promise<T>,
): Promise<T> {
  async function look(among: TreeDialect) {
    const draft = createDraft(among);
    const where = writeWhere(among, tenantId, EVERYTHING, draft);
    const text = `select count() as count, toString(min(ver)) as newest,
      toString(groupBitXor(cityHash64(ts, insert_id, ver))) as hash from ${table} where ${where}`;
    const [row] = await ask(tenantId, { text, values: draft.values }, signal);
    return { count: Number(row!.count), newest: row!.newest as string, hash: row!.hash as string };
  }

  for (;;) {
    const { count, newest, hash } = await look(dialect);
    const among = writtenBy(dialect, count === 0 ? VERSION_MAX : newest);
    const answer = await work(among);
    const after = await look(among);
    if (after.count === count && after.hash === hash) return answer;
  }
}

/** The dialect of queries on rows with at least the given version, which were written by then. */
function writtenBy(dialect: TreeDialect, version: string): TreeDialect {
  const living = dialect.living!;
  return { ...dialect, living: (tenant) => `${living(tenant)} and ver >= ${version}` };
}
