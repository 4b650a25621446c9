import type { Logger } from '../base/runtime.ts';

/** Rows of tenants that are counted in memory first, until they are flushed to a store. */
export interface Ledger<Row> {
  /** Adds rows to those of a tenant. The promise resolves at once. */
  readonly add: (tenantId: string, more: readonly Row[]) => Promise<void>;
  /**
   * Writes what is counted. It never rejects: what cannot be written is kept and tried again, and the log
   * says so.
   */
  readonly flush: () => Promise<void>;
  /** Changes the rows of a tenant that are not written yet. */
  readonly change: (tenantId: string, change: (row: Row) => Row) => void;
  /** Forgets the rows of a tenant that are not written yet. */
  readonly forget: (tenantId: string) => void;
}

interface LedgerOptions<Row> {
  /** What is counted, in the plural, for the log. */
  readonly what: string;
  /** What a row of a tenant is known by. It takes few values, so the rows of a tenant have a bound. */
  readonly keyOf: (row: Row) => string;
  readonly merge: (known: Row | undefined, more: Row) => Row;
  /** How many of what a row counts. */
  readonly countOf: (row: Row) => number;
  /** Where rows are added. It keeps none of a tenant that was deleted. */
  readonly store: { readonly add: (tenantId: string, rows: readonly Row[]) => Promise<void> };
  readonly log: Logger;
}

/** How many tenants a process counts for between two flushes: each has at most some 20 rows of 1 KiB. */
const TENANTS_MAX = 1_000;

/**
 * Makes a ledger over a store. To count is then an addition in memory, so that neither a flood of requests
 * nor a slow store delays anybody. A process that dies loses what it has counted since the last flush.
 */
export function createLedger<Row>(options: LedgerOptions<Row>): Ledger<Row> {
  const { what, keyOf, merge, countOf, store, log } = options;
  let counted = new Map<string, Map<string, Row>>();
  /** How many of further tenants were not counted since the last flush. */
  let uncounted = 0;
  let isTold = false;
  let flushed = Promise.resolve();

  function count(tenantId: string, more: readonly Row[]): void {
    const rows = counted.get(tenantId) ?? new Map<string, Row>();
    if (counted.size >= TENANTS_MAX && !counted.has(tenantId)) {
      for (const row of more) uncounted += countOf(row);
      return;
    }
    counted.set(tenantId, rows);
    for (const row of more) rows.set(keyOf(row), merge(rows.get(keyOf(row)), row));
  }

  async function writeAll(): Promise<void> {
    const writing = counted;
    counted = new Map();
    if (uncounted > 0) log.error({ uncounted }, `${what} of too many tenants at once were not counted`);
    uncounted = 0;
    for (const [tenantId, rows] of writing) {
      try {
        await store.add(tenantId, [...rows.values()]);
      } catch (err) {
        if (!isTold) log.error({ err }, `${what} could not be stored; they are kept and tried again`);
        isTold = true;
        // The others would only wait for the same store.
        for (const [id, kept] of writing) count(id, [...kept.values()]);
        return;
      }
      isTold = false;
      // What is written must not be written again, whatever fails after it.
      writing.delete(tenantId);
    }
  }

  /** Flushes run one after the other. A caller that waits for one also waits for those before it. */
  function flush(): Promise<void> {
    return (flushed = flushed.then(() => (counted.size > 0 ? writeAll() : undefined)));
  }

  return {
    flush,
    add: (tenantId, more) => {
      const isNew = !counted.has(tenantId);
      count(tenantId, more);
      if (isNew && counted.size === TENANTS_MAX) void flush();
      return Promise.resolve();
    },
    change: (tenantId, change) => {
      const rows = counted.get(tenantId) ?? new Map<string, Row>();
      for (const [key, row] of rows) rows.set(key, change(row));
    },
    forget: (tenantId) => void counted.delete(tenantId),
  };
}
