import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';

/**
 * Room on the disk that is kept for erasing: to remove events takes room first, in the write-ahead log. It is
 * a file beside the database that is let go when the disk is full; until it is there again no events are
 * taken, so that they do not take its place.
 */
export interface Reserve {
  /** Whether it is there, or was not wanted. */
  isThere(): boolean;
  /** Makes it where it is not there and `times` as much is free; whether it is there now. */
  make(times: number): boolean;
  /** Lets it go; whether there was any. */
  release(): boolean;
  /** Makes it again where it was let go here, as far as there is room. */
  restore(): void;
}

/** No reserve: whoever erases on a full disk has to find room by other means. */
export const NO_RESERVE: Reserve = {
  ...{ isThere: () => true, make: () => true, release: () => false, restore: () => undefined },
};

/** What is written to find out whether the disk takes anything. */
const TRIAL_BYTES = 1_048_576;

/**
 * The reserve of a file; none where there is no file or nothing is wanted. Where it cannot be made for
 * another reason than room, as in a folder that this user may not write to, the file is served without.
 */
export function createReserve(file: string, bytes: number): Reserve {
  if (file === '' || bytes === 0) return NO_RESERVE;
  const path = `${file}-reserve`;
  const isThere = () => statSync(path, { throwIfNoEntry: false })?.size === bytes;
  const make = (times: number) => isThere() || (freeOf(file) >= times * bytes && hasRoomFor(path, bytes));
  let released = false;
  return {
    isThere,
    make,
    release: () => {
      if (!isThere()) return false;
      rmSync(path, { force: true });
      released = true;
      return true;
    },
    restore: () => {
      if (released && make(1)) released = false;
    },
  };
}

/** Whether the disk of a file takes anything now, found by writing it. */
export function hasRoom(file: string): boolean {
  const path = `${file}-trial`;
  const isRoom = hasRoomFor(path, TRIAL_BYTES);
  rmSync(path, { force: true });
  return isRoom;
}

function freeOf(file: string): number {
  const { bavail, bsize } = statfsSync(file);
  return bavail * bsize;
}

/** How writing fails where there is no room, on the disk, in a quota, or for a file of that size. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/**
 * Writes a file of so many bytes, whole or not at all; whether there is room. Zeros would do, but some disks
 * store none.
 */
function hasRoomFor(path: string, bytes: number): boolean {
  try {
    const handle = openSync(path, 'w', 0o600);
    try {
      const block = Buffer.alloc(65_536, 'event-query');
      for (let left = bytes; left > 0; left -= block.length)
        writeWhole(handle, block.subarray(0, Math.min(left, block.length)));
    } finally {
      closeSync(handle);
    }
    return true;
  } catch (error) {
    if (!NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? '')) return true;
    rmSync(path, { force: true });
    return false;
  }
}

function writeWhole(handle: number, block: Uint8Array): void {
  for (let at = 0; at < block.length;) at += writeSync(handle, block, at);
}
