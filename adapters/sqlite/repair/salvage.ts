import { verifySqlite } from '../check/verify.ts';
import { connectToDamaged, guard, type SqliteDatabase } from '../file/database.ts';
import { connectExplained } from '../file/explained.ts';
import {
  refuseForeignFile,
  refuseUnbegunFile,
  versionOf,
  writeSchema,
  type FileContents,
} from '../file/schema.ts';
import { writeNewFile } from '../file/new-file.ts';
import { copyControl, dropOrphans } from './control.ts';
import type { Copied, Copying } from './copying.ts';
import { copyLogs } from './logs.ts';

/** What was saved of a file. */
export interface Salvage extends FileContents, Copied {
  /** The size of the new file. */
  readonly bytes: number;
}

/** Options of saving what is readable. */
export interface SalvageOptions {
  /** How long to wait for another process that has locked the file, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** Whether the file holds the tenants of its events, as it does by default. */
  readonly holdsTenants?: boolean;
  /** Receives how many rows have been read, and about how many there are. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Opens a file to be read, and a new file to be written. */
export interface SalvageConnections {
  /** Opens the damaged file, read-only where that is possible. */
  readonly read: () => SqliteDatabase;
  /** Opens a new file to be written. */
  readonly write: (file: string) => SqliteDatabase;
}

/**
 * Saves all that can be read of a damaged file in a new file `to`, and rebuilds what is computed from it. It
 * reads each table row by row around unreadable pages, as the file is at one moment, and never writes the
 * damaged file. Rows that no client can have sent are left out, and so are erased ones as far as the list of
 * them is sound. Each event keeps its place in its log; a lost one counts as erased. Logs and tenants that
 * nothing is known of any more get new tenants, whose alias begins with "recovered-". The new file has the
 * schema of this version. Throws an Error if `to` exists, and where not even the beginning of the damaged
 * file can be read.
 */
export function salvageSqlite(
  { read, write }: SalvageConnections,
  to: string,
  { busyTimeoutMs = 5000, holdsTenants = true, onProgress }: SalvageOptions = {},
): Salvage {
  const { database: source } = connectExplained(() => connectToDamaged(read));
  try {
    return guard(() => {
      source.exec(`PRAGMA busy_timeout = ${Math.trunc(busyTimeoutMs)}`);
      refuseForeignFile(source);
      const schema = versionOf(source);
      refuseUnbegunFile(schema);
      source.exec('BEGIN');
      return writeNewFile(to, (part) => {
        const { database: target } = connectExplained(() => write(part));
        let saved: Copied;
        try {
          saved = copyAll({ source, target, schema, holdsTenants, onProgress });
        } finally {
          target.close();
        }
        const { findings, ...contents } = verifySqlite(() => write(part), { holdsTenants });
        const left = findings.map(({ message, effect }) => `in the new file, ${message}: ${effect}`);
        return { ...contents, ...saved, remarks: [...saved.remarks, ...left] };
      });
    });
  } finally {
    source.close();
  }
}

function copyAll(copying: Copying): Copied {
  const { target, schema } = copying;
  // An incomplete new file is removed, so nothing in it has to survive a crash.
  target.exec('PRAGMA synchronous = OFF');
  target.exec('PRAGMA journal_mode = MEMORY');
  target.exec('BEGIN');
  writeSchema(target, 0, schema);
  const control = copyControl(copying);
  const logs = copyLogs(copying);
  const orphans = copying.holdsTenants ? dropOrphans(copying) : [];
  target.exec('COMMIT');
  return { losses: [...control, ...logs.losses, ...orphans], remarks: logs.remarks };
}
