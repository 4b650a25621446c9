import type { Signal } from '../../src/index.ts';
import { createDraft, EVERYTHING, writeWhere, type Statement, type TreeDialect } from '../sql/index.ts';
import type { ClickhouseRow } from './database.ts';

/** Asks the engine one statement for a tenant. */
type Ask = (tenantId: string, statement: Statement, signal?: Signal) => Promise<readonly ClickhouseRow[]>;

/** No event has so large a version: they fall with time. */
const VERSION_MAX = '18446744073709551615';

/**
 * Does some work of several statements about the same events of a tenant: those that are there now. What
 * comes meanwhile has smaller versions and is not seen; where what was there did not stay, as beside an
 * erasure, the work is done again.
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

/** The dialect of questions about what was written before anything smaller than a version. */
function writtenBy(dialect: TreeDialect, version: string): TreeDialect {
  const living = dialect.living!;
  return { ...dialect, living: (tenant) => `${living(tenant)} and ver >= ${version}` };
}
