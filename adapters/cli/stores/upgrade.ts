import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backupSqlite, migrateSqlite, type Migration } from '../../sqlite/index.ts';
import { toUpgradeName } from '../files/backup-name.ts';
import { note } from '../print/output.ts';
import { attempt, failure, messageOf } from '../process/errors.ts';
import { loadSqlite, type SqliteDriver } from './drivers.ts';
import { holdsAnything } from './sqlite-file.ts';

/** What became of a file's schema, and the copy from before; null if none was needed or wanted. */
export interface Upgrade extends Migration {
  readonly backup: string | null;
}

/**
 * Brings a file to the schema of this version. Before that it copies an older file beside itself, unless
 * `backup` is false. The copy is verified, and has all that was ever written to the old schema. If the copy
 * or the migration fails, the file stays as it is and no copy is left.
 */
export function upgradeFile(file: string, connect: SqliteDriver['connect'], backup: boolean): Upgrade {
  const copies: string[] = [];
  const before = ({ from, to }: Migration) => {
    if (!backup) return;
    const path = join(dirname(file), toUpgradeName(file, to, new Date()));
    note(`${file} has schema ${from}: copying it to ${path} before it becomes ${to}`);
    try {
      backupSqlite(file, path, connect);
    } catch (error) {
      const why = `no copy could be made, so nothing was changed (${messageOf(error)})`;
      throw failure(`${why}; --no-backup migrates without a copy`);
    }
    copies.push(path);
  };
  try {
    const migration = migrateSqlite(() => connect(file), { before });
    return { ...migration, backup: copies[0] ?? null };
  } catch (error) {
    // A server that is started again and again must not fill the disk with equal copies.
    for (const copy of copies) rmSync(copy, { force: true });
    throw error;
  }
}

/** Upgrades the files that a server is about to open. What is missing or empty needs no upgrade. */
export async function upgradeFiles(files: readonly string[], backup: boolean): Promise<void> {
  for (const file of files.filter(holdsAnything)) {
    const { connect } = await loadSqlite();
    const upgrade = attempt(`cannot open ${file}`, () => upgradeFile(file, connect, backup));
    if (upgrade.from !== upgrade.to) note(describeUpgrade(file, upgrade));
  }
}

/** The message that a file was migrated. */
export function describeUpgrade(file: string, { from, to, backup }: Upgrade): string {
  const kept = backup === null ? '' : `; ${backup} is the file as it was`;
  return `migrated ${file} from schema ${from} to ${to}${kept}`;
}
