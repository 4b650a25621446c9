import { closeSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { giveToOwnerOf } from '../../sqlite/index.ts';

/** What the last backup of a file leaves beside it, for the metrics of the server. */
const LAST_BACKUP = z.object({
  /** When it was complete and verified, in epoch milliseconds. */
  endedAt: z.number(),
  /** How long it took, in milliseconds. */
  durationMs: z.number(),
});

export type LastBackup = z.infer<typeof LAST_BACKUP>;

/** It stands beside the file itself, by whichever link a command has found it. */
const pathOf = (file: string) => `${realpathSync(file)}-last-backup`;

/** Writes down the last backup of a file. Throws the error of the system where that fails. */
export function writeLastBackup(file: string, last: LastBackup): void {
  const part = `${pathOf(file)}.part`;
  // What a backup that was killed has left may belong to another user.
  rmSync(part, { force: true });
  const handle = openSync(part, 'wx', 0o600);
  try {
    giveToOwnerOf(handle, file);
    writeFileSync(handle, `${JSON.stringify(last)}\n`);
  } finally {
    closeSync(handle);
  }
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
