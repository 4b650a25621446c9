import { prepareEmptyLog, type SqliteDatabase } from '../file/database.ts';
import type { FileIdentity } from '../file/identity.ts';
import { prepareRowOperations } from '../log/row-operations.ts';
import { prepareAppend } from './append.ts';
import { prepareBucketWrites } from './buckets.ts';
import { prepareChunkWrites } from './chunks.ts';
import { prepareControlWrites } from './control.ts';
import { prepareErase } from './erase.ts';
import type { OpenLogs } from './open-logs.ts';

/** The options for preparing operations: plain data, which can be sent to a thread. */
export interface OperationOptions {
  /** How long a group waits for another process that writes, in milliseconds. */
  readonly busyTimeoutMs: number;
  readonly columnDiskBytesMax?: number | undefined;
  /** The file that the stores have opened; absent for an in-memory database. */
  readonly identity?: FileIdentity | undefined;
}

/** Prepares every write of the adapter, by name; arguments and results are plain data. */
export function prepareOperations(
  database: SqliteDatabase,
  logs: OpenLogs,
  { columnDiskBytesMax }: OperationOptions,
) {
  return {
    ...prepareAppend(database, logs),
    ...prepareErase(database, logs),
    ...prepareControlWrites(database),
    ...prepareBucketWrites(database),
    ...prepareChunkWrites(database, columnDiskBytesMax),
    emptyLog: prepareEmptyLog(database),
    ...prepareRowOperations(database),
  };
}

/** The writes of the adapter. */
export type Operations = ReturnType<typeof prepareOperations>;

/** The rules for writing an operation. */
export interface OperationRule {
  /** Whether its commit survives a power loss, and not only a crash of the process. */
  readonly durable: boolean;
  /** Whether it changes cached data: documents, the sizes of logs. */
  readonly remembered: boolean;
  /** Whether it waits for other processes that write; operations whose data can be rebuilt do not. */
  readonly waits: boolean;
  /** Whether it must run outside a transaction. */
  readonly outside: boolean;
  /** Whether it frees space, or decides that some will be freed, so that it may use the reserve. */
  readonly frees: boolean;
}

const DURABLE: OperationRule = {
  ...{ durable: true, remembered: true, waits: true, outside: false, frees: false },
};
const QUICK: OperationRule = { ...DURABLE, durable: false };
const BUCKETS: OperationRule = { ...QUICK, remembered: false };
const FREEING: OperationRule = { ...DURABLE, frees: true };
const SWEEP: OperationRule = { ...BUCKETS, frees: true };
const CACHE: OperationRule = { ...BUCKETS, waits: false };

/**
 * How each operation is written. A group is as durable as the most durable of its operations. Takes alone do
 * not wait for the disk: a power loss costs only a few tokens spent in its last moments, whereas each request
 * would pay for a sync. The steps of an erasure do not wait either: `detachLog` or `eraseRows` decides it,
 * and data that a power loss brings back is removed at the next start.
 */
export const OPERATION_RULES: Readonly<Record<keyof Operations, OperationRule>> = {
  append: DURABLE,
  encode: { ...CACHE, outside: true },
  detachLog: FREEING,
  dropTenant: FREEING,
  eraseRows: FREEING,
  sweepLog: SWEEP,
  sweepRows: SWEEP,
  sweepChunks: SWEEP,
  commit: DURABLE,
  // What may be lost: last uses, and counts.
  commitLightly: QUICK,
  commitFreeing: FREEING,
  trimAudit: BUCKETS,
  take: BUCKETS,
  keepBuckets: BUCKETS,
  eraseBuckets: BUCKETS,
  saveChunk: CACHE,
  useChunks: CACHE,
  dropChunks: CACHE,
  emptyLog: { ...CACHE, outside: true },
  codeRows: { ...CACHE, outside: true },
  sortRows: { ...CACHE, outside: true },
};
