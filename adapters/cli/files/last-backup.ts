import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

/** What the last backup of a file leaves beside it, for the metrics of the server. */
const LAST_BACKUP = z.object({
  /** When it was complete and verified, in epoch milliseconds. */
  endedAt: z.number(),
  /** How long it took, in milliseconds. */
  durationMs: z.number(),
});

export type LastBackup = z.infer<typeof LAST_BACKUP>;

const pathOf = (file: string) => `${file}-last-backup`;

/** Writes down the last backup of a file. Throws the error of the system where that fails. */
export function writeLastBackup(file: string, last: LastBackup): void {
  const part = `${pathOf(file)}.part`;
  writeFileSync(part, `${JSON.stringify(last)}\n`, { mode: 0o600 });
  renameSync(part, pathOf(file));
}

/** Reads what the last backup of a file has left; undefined where there is nothing, or something else. */
export function readLastBackup(file: string): LastBackup | undefined {
  try {
    return LAST_BACKUP.parse(JSON.parse(readFileSync(pathOf(file), 'utf8')));
  } catch {
    return undefined;
  }
}
