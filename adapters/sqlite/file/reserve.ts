import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { giveToOwnerOf } from './owner.ts';

/**
 * Disk space reserved for erasing, since removing events first needs space in the write-ahead log. The
 * reserve is a file next to the database, which is deleted when the disk is full. Until it exists again, no
 * events are accepted, so that they do not use its space.
 */
export interface Reserve {
  /** Whether it exists, or is not wanted. */
  isThere(): boolean;
  /** Creates it if it is missing and `times` its size is free; returns whether it exists now. */
  make(times: number): boolean;
  /** Deletes it; returns whether it existed. */
  release(): boolean;
  /** Creates it again if it was released here, as far as there is space. */
  restore(): void;
}

/** No reserve: erasing on a full disk needs space from elsewhere. */
export const NO_RESERVE: Reserve = {
  ...{ isThere: () => true, make: () => true, release: () => false, restore: () => undefined },
};

/** How many bytes are written to probe whether the disk accepts data. */
const TRIAL_BYTES = 1_048_576;

/**
 * The reserve of a file; none without a file or if none is wanted. If it cannot be created for another reason
 * than space, such as a folder that this user may not write to, the file is served without it.
 */
export function createReserve(file: string, bytes: number): Reserve {
  if (file === '' || bytes === 0) return NO_RESERVE;
  const path = `${file}-reserve`;
  // A process that is killed while it writes the file leaves a part of it.
  const sizeNow = () => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true ? found.size : 0;
  };
  const isThere = () => sizeNow() === bytes;
  const make = (times: number) =>
    isThere() || (freeOf(file) + sizeNow() >= times * bytes && hasRoomFor(path, bytes, file));
  let released = false;
  return {
    isThere,
    make,
    release: () => {
      if (sizeNow() === 0) return false;
      rmSync(path, { force: true });
      released = true;
      return true;
    },
    restore: () => {
      if (released && make(1)) released = false;
    },
  };
}

/** Whether the disk of a file accepts data, determined by writing some. */
export function hasRoom(file: string): boolean {
  const path = `${file}-trial`;
  const isRoom = hasRoomFor(path, TRIAL_BYTES, file);
  rmSync(path, { force: true });
  return isRoom;
}

/** How many bytes are free on the disk of a file or folder. */
export function freeOf(file: string): number {
  const { bavail, bsize } = statfsSync(file);
  return bavail * bsize;
}

/** The error codes of a write without space: on the disk, in a quota, or for a file of that size. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Whether the system refused a write since there is no space. */
export function isNoRoom(error: unknown): boolean {
  return NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? '');
}

/**
 * Writes a file of the given size beside a database, completely or not at all; returns whether there was
 * space. The content is not zeros, because some disks do not allocate space for them.
 */
function hasRoomFor(path: string, bytes: number, file: string): boolean {
  try {
    const handle = openSync(path, 'w', 0o600);
    try {
      giveToOwnerOf(handle, file);
      const block = Buffer.alloc(65_536, 'event-query');
      for (let left = bytes; left > 0; left -= block.length)
        writeWhole(handle, block.subarray(0, Math.min(left, block.length)));
    } finally {
      closeSync(handle);
    }
    return true;
  } catch (error) {
    if (!isNoRoom(error)) return true;
    rmSync(path, { force: true });
    return false;
  }
}

function writeWhole(handle: number, block: Uint8Array): void {
  for (let at = 0; at < block.length;) at += writeSync(handle, block, at);
}
