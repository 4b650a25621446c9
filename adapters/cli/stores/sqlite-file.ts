import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  statfsSync,
  statSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { failure, messageOf } from '../errors.ts';
import { shellWord } from '../print/printable.ts';

/** How much of its disk a server keeps for erasing at most: four times what the write-ahead log takes. */
const RESERVE_BYTES_MAX = 16_777_216;
/** Of a small disk no more than that: below 24 MiB what the write-ahead log takes may not fit. */
const RESERVE_SHARE = 0.25;

/** How much of the disk of a file is kept for erasing when it is full, in bytes. */
export function reserveBytesOf(file: string): number {
  const { blocks, bsize } = statfsSync(file);
  return Math.min(RESERVE_BYTES_MAX, Math.floor(blocks * bsize * RESERVE_SHARE));
}

/** Makes an empty file where there is none. SQLite gives the mode of it to the files beside it. */
export function makeFile(file: string): void {
  if (isThere(file)) return;
  try {
    makeFolder(dirname(file));
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    throw failure(`the file cannot be made: ${describeFileError(error)}`);
  }
}

/**
 * Makes a folder and those above it. Node's own way to do that tries for ever where a folder says that it is
 * not there, as those of /proc do.
 */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || statOf(folder)?.isDirectory() === true) return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  }
}

/** Who else than its owner may read a file, or write it, as a warning; undefined where nobody may. */
export function findExposure(file: string): string | undefined {
  // Windows has no such modes.
  const mode = process.platform === 'win32' ? 0 : statSync(file).mode & 0o077;
  if (mode === 0) return undefined;
  return `users other than its owner can open ${file}; to fix that: chmod 600 ${['', '-wal', '-shm']
    .map((end) => shellWord(file + end))
    .join(' ')}`;
}

/**
 * Whether there is a file. Throws an Error where there is something else, or what may not be looked at: that
 * is not the same as nothing.
 */
export function isThere(file: string): boolean {
  try {
    const found = statOf(file);
    if (found === undefined) return false;
    if (found.isDirectory()) throw failure(`${file} is a folder; name a file in it`);
    accessSync(file, constants.R_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw failure(`${file} cannot be opened: ${describeFileError(error)}`);
  }
}

/** Whether there is a file with anything in it. */
export function holdsAnything(file: string): boolean {
  return isThere(file) && statSync(file).size > 0;
}

/** Throws an Error where there is no file: a mistyped name must not leave an empty database behind. */
export function checkExists(file: string): void {
  if (!isThere(file)) throw failure(`there is no file ${file}; name one with --db or EVENT_QUERY_DB`);
}

/** How people are told that a file was migrated. */
export function describeMigration(file: string, from: number, to: number): string {
  return `migrated ${file} from schema ${from} to ${to}`;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** What the system says of a file, in words. */
function describeFileError(error: unknown): string {
  const { code, path = '' } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `this user has no permission for ${path}`;
    case 'EROFS':
      return `${path} is on a read-only file system`;
    case 'ENOTDIR':
      return `a part of ${path} is a file, not a folder`;
    case 'ENOENT':
      return `the system cannot create the folder ${path}`;
    case 'ENOSPC':
      return `the disk of ${path} is full`;
    default:
      return messageOf(error);
  }
}
