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
import { giveFolderToOwnerOf, giveToOwnerOf, wrongFileName } from '../../sqlite/index.ts';
import { describeFileError, failure, misuse } from '../process/errors.ts';
import { shellWord } from '../print/printable.ts';

/** The largest disk reserve for erasing: four times the size of the write-ahead log. */
const RESERVE_BYTES_MAX = 16_777_216;
/** The largest share of a small disk; on a disk below 24 MiB the write-ahead log may not fit. */
const RESERVE_SHARE = 0.25;

/** How many bytes of a file's disk are reserved, so that erasing works when the disk is full. */
export function reserveBytesOf(file: string): number {
  const { blocks, bsize } = statfsSync(file);
  return Math.min(RESERVE_BYTES_MAX, Math.floor(blocks * bsize * RESERVE_SHARE));
}

/**
 * Creates an empty file if there is none. SQLite copies its mode and owner to the `-wal` and `-shm` files. If
 * root makes it, it belongs to the owner of its folder.
 */
export function makeFile(file: string): void {
  if (isThere(file)) return;
  try {
    makeFolder(dirname(file));
    const handle = openSync(file, 'a', 0o600);
    try {
      giveToOwnerOf(handle, dirname(file));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const { code, path = '' } = error as NodeJS.ErrnoException;
    // In /proc nothing can be made.
    const isRefused = code === 'ENOENT';
    const why = isRefused ? `the system cannot create ${path}; name another place` : describeFileError(error);
    throw failure(`the file cannot be made: ${why}`);
  }
}

/**
 * Creates a folder and its parents, which belong to the owner of the folder above if root makes them. Node's
 * recursive mkdir retries for ever where creating fails with ENOENT, as it does in /proc.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    giveFolderToOwnerOf(folder, dirname(folder));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || statOf(folder)?.isDirectory() === true) return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
    giveFolderToOwnerOf(folder, dirname(folder));
  }
}

/** Makes a warning when other users may read or write a file; undefined when only its owner may. */
export function findExposure(file: string): string | undefined {
  // Windows has no such file modes.
  const mode = process.platform === 'win32' ? 0 : statSync(file).mode & 0o077;
  if (mode === 0) return undefined;
  return `users other than its owner can open ${file}; to fix that: chmod 600 ${['', '-wal', '-shm']
    .map((end) => shellWord(file + end))
    .join(' ')}`;
}

/**
 * Whether a file exists. Throws an Error for a folder, and when access is denied, because a file may exist
 * then.
 */
export function isThere(file: string): boolean {
  try {
    const found = statOf(file);
    if (found === undefined) return false;
    if (found.isDirectory()) throw failure(`${file} is a folder; name a file in it`);
    // What is written to a device is lost, and a pipe may be waited for without end.
    if (!found.isFile()) throw failure(`${file} is a device, a pipe or a socket; name a regular file`);
    accessSync(file, constants.R_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw failure(`${file} cannot be opened: ${describeFileError(error)}`);
  }
}

/** Throws an Error when an argument of a command is no name that a database may have. */
export function checkName(argument: string, name: string): void {
  const wrong = wrongFileName(name);
  if (wrong !== undefined) throw misuse(`${argument} takes ${wrong}`);
}

/** Whether a file exists and is not empty. */
export function holdsAnything(file: string): boolean {
  return isThere(file) && statSync(file).size > 0;
}

/** Throws an Error when there is no file: a mistyped name must not create an empty database. */
export function checkExists(file: string): void {
  if (!isThere(file)) throw failure(`there is no file ${file}; name one with --db or EVENT_QUERY_DB`);
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
