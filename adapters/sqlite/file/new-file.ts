import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { checkFileName, wrongFileName } from './name.ts';
import { giveToOwnerOf } from './owner.ts';
import { isNoRoom } from './reserve.ts';
import { causeOf, isFull } from './trouble.ts';
import { removeLeftParts, toPartName } from './parts.ts';

/** Only the owner may read a copy: it holds events, and hashes of keys. */
const OWNER_ONLY = 0o600;

/**
 * Makes a new file: `write` fills an empty one, which gets the name `to` when it is complete and synced.
 * Until then it is `to` with an ending that names this process, and it is removed when `write` fails. It also
 * removes what killed processes have left in that folder. Returns the result of `write` and the size of the
 * file. Throws an Error if `to` or a log of that name exists, or its disk is full. If root makes it, it
 * belongs to the owner of its folder.
 */
export function writeNewFile<T extends object>(
  to: string,
  write: (part: string) => T,
): T & { readonly bytes: number } {
  checkFileName(to);
  refuseExisting(to);
  removeLeftParts(dirname(to));
  const part = toPartName(to);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  try {
    return sayFull(to, () => {
      const handle = openSync(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY);
      try {
        giveToOwnerOf(handle, dirname(to));
      } finally {
        closeSync(handle);
      }
      const result = write(part);
      sync(part, 'r+');
      const { size: bytes } = statSync(part);
      giveName(part, to);
      // The name lasts once its folder is synced. Windows cannot open a folder, and needs no such call.
      if (process.platform !== 'win32') sync(dirname(to), 'r');
      return { ...result, bytes };
    });
  } finally {
    rmSync(part, { force: true });
  }
}

/** Runs `work`, which writes to the disk of `to`; where that is full, the error says so. */
function sayFull<T>(to: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isFull(causeOf(error)) && !isNoRoom(error)) throw error;
    throw new Error(
      `the disk of ${to} became full: free some room, or name a place on another disk; ` +
        'nothing is left of the copy',
      { cause: error },
    );
  }
}

/**
 * Gives a complete copy its name, unless that exists by now: a link is made or refused at once, where a
 * rename would replace what another process has put there.
 */
function giveName(part: string, to: string): void {
  try {
    linkSync(part, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') refuseExisting(to);
    if (!NO_LINKS.includes(code)) throw error;
    refuseExisting(to);
    renameSync(part, to);
  }
}

/** The error codes of file systems without links, such as FAT. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** The endings of SQLite's files. A log that another file has left would be applied to the new one. */
const ENDINGS = ['', '-wal', '-shm', '-journal'];

function refuseExisting(file: string): void {
  const found = ENDINGS.map((ending) => file + ending).find((path) => existsSync(path));
  if (found !== undefined) throw new Error(`${found} exists already; nothing was changed`);
}

/** Waits until a file, or a folder's entries, are on the disk. */
function sync(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Lets only the owner read a file that a driver has just made. SQLite gives the same mode to the `-wal` and
 * `-shm` files. Throws an Error for a database that is in no file, or in one whose name drivers read in
 * different ways.
 */
export function protectNewFile(file: string): void {
  const wrong = wrongFileName(file === '' ? ':memory:' : basename(file));
  if (wrong !== undefined) throw new Error(`the stores take ${wrong}`);
  // Windows has no such file modes.
  if (process.platform === 'win32' || statSync(file).size > 0) return;
  try {
    chmodSync(file, OWNER_ONLY);
  } catch (error) {
    // The empty file was made by another user, who has chosen its mode.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
