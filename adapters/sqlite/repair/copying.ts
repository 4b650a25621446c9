import type { ErasedOfLog } from './erased.ts';
import type { SqliteDatabase } from '../file/database.ts';

/** Something of a damaged file that is not in the new one. */
export interface Loss {
  /** What it is and where it was, as a sentence. */
  readonly message: string;
  /** How many events it concerns. */
  readonly events: number;
  /** The tenant that it concerns, where it is one. */
  readonly tenantId?: string;
}

/** What one copying works with. */
export interface Copying {
  readonly source: SqliteDatabase;
  readonly target: SqliteDatabase;
  /** The schema of the source. */
  readonly schema: number;
  readonly holdsTenants: boolean;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}

/** What became of a file's contents. */
export interface Copied {
  /** What is not in the new file; empty if nothing was lost. */
  readonly losses: readonly Loss[];
  /** What is different in it without being lost, as sentences. */
  readonly remarks: readonly string[];
}

/** A log of a damaged file, and what of it was copied. */
export interface CopiedLog {
  readonly number: number;
  /** Null for a log that was erased, undefined for one that only its events tell of. */
  readonly tenantId: string | null | undefined;
  readonly version: number;
  /** How many rows it counts. */
  size: number;
  /** How many of its events are in the new file. */
  copied: number;
  /** Of how many of these it cannot be read when they arrived. */
  unknownArrivals: number;
  /** The rows that were read, and that no client can have sent. */
  readonly damaged: Set<number>;
  /** Its erased rows as far as they are known. */
  readonly erased: ErasedOfLog;
}
