import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * The name of a file's backup in a folder of backups: `event-query-2026-11-25T061500Z.db`. Windows allows no
 * colons in it.
 */
export function toBackupName(file: string, at: Date): string {
  return `${basename(file, '.db')}-${toTime(at)}.db`;
}

/**
 * The name of the copy that is made before a file's schema changes:
 * `event-query-before-schema-2-2026-11-25T061500Z.db`. The rotation of backups leaves such copies alone.
 */
export function toUpgradeName(file: string, schema: number, at: Date): string {
  return `${basename(file, '.db')}-before-schema-${schema}-${toTime(at)}.db`;
}

function toTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(':', '')}Z`;
}

/**
 * Removes the oldest backups of a file from a folder until `keep` are left, and returns their paths. It
 * always keeps `newest`, whatever the clock was, and removes nothing but files with the name of a backup.
 */
export function rotateBackups(folder: string, file: string, newest: string, keep: number): string[] {
  const prefix = `${basename(file, '.db')}-`;
  const older = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith(prefix) && entry.name !== basename(newest))
    .map(({ name }) => name)
    .filter((name) => /^\d{4}-\d{2}-\d{2}T\d{6}Z\.db$/.test(name.slice(prefix.length)))
    .sort();
  const removed = older.slice(0, Math.max(0, older.length - (keep - 1))).map((name) => join(folder, name));
  for (const path of removed) rmSync(path);
  return removed;
}
