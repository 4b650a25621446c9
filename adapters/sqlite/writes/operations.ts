import { prepareEmptyLog, type SqliteDatabase } from '../database.ts';
import type { FileIdentity } from '../file-identity.ts';
import { prepareRowOperations } from '../log/row-operations.ts';
import { prepareAdminWrites } from './admins.ts';
import { prepareAppend } from './append.ts';
import { prepareBucketWrites } from './buckets.ts';
import { prepareChunkWrites } from './chunks.ts';
import { prepareErase } from './erase.ts';
import { prepareKeyWrites } from './keys.ts';
import type { OpenLogs } from './open-logs.ts';
import { prepareTenantWrites } from './tenants.ts';

/** What operations are told when they are prepared: plain data, so that a thread can be told. */
export interface OperationOptions {
  /** How long a group waits for another process that writes, in milliseconds. */
  readonly busyTimeoutMs: number;
  readonly columnDiskBytesMax?: number | undefined;
  /** The file that the stores have opened; absent for one in memory. */
  readonly identity?: FileIdentity | undefined;
}

/** Prepares everything that the adapter ever writes, by name; arguments and results are plain data. */
export function prepareOperations(
  database: SqliteDatabase,
  logs: OpenLogs,
  { columnDiskBytesMax }: OperationOptions,
) {
  return {
    ...prepareAppend(database, logs),
    ...prepareErase(database, logs),
    ...prepareTenantWrites(database),
    ...prepareKeyWrites(database),
    ...prepareAdminWrites(database),
    ...prepareBucketWrites(database),
    ...prepareChunkWrites(database, columnDiskBytesMax),
    emptyLog: prepareEmptyLog(database),
    ...prepareRowOperations(database),
  };
}

/** The writes of the adapter. */
export type Operations = ReturnType<typeof prepareOperations>;

/** How an operation is written. */
export interface OperationRule {
  /** Whether its commit survives a loss of power, and not a crash of the process alone. */
  readonly durable: boolean;
  /** Whether it changes what is remembered of the file: tenants, keys, the sizes of logs. */
  readonly remembered: boolean;
  /** Whether it waits for other processes that write: what can be made again does not. */
  readonly waits: boolean;
  /** Whether it must stand outside of any transaction. */
  readonly outside: boolean;
  /** Whether it makes room, or decides that some is made, so that it may take what is kept for that. */
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
 * How each is written. A group is as durable as the most durable of its operations. Takes alone do not wait
 * for the disk: what a loss of power takes of them is a few tokens that were spent in its last moments, and
 * each request would pay for a sync. Nor do the steps of an erasure: it is decided by `detachLog` or by
 * `eraseRows`, and what a loss of power brings back is removed at the next start.
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
  createTenant: DURABLE,
  // For how long events are kept stands there too.
  updateTenant: FREEING,
  deleteTenant: FREEING,
  createKey: DURABLE,
  addSecret: DURABLE,
  revokeKey: DURABLE,
  touchKey: QUICK,
  eraseKeys: FREEING,
  createPass: { ...DURABLE, remembered: false },
  touchPass: BUCKETS,
  renewPass: { ...DURABLE, remembered: false },
  removePass: { ...DURABLE, remembered: false },
  trimAudit: BUCKETS,
  spend: { ...DURABLE, remembered: false },
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
