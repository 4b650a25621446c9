import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { SqliteDatabase } from './database.ts';
import { findDisplaced, type FileIdentity } from './identity.ts';

/** How many pages the file has, with those that only its log holds, and how many bytes each takes. */
interface Pages {
  readonly count: number;
  readonly size: number;
}

/** The layout of a write-ahead log, by https://sqlite.org/fileformat2.html#walformat. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Two numbers that a frame has in common with the header of the log, unless it is older. */
const SALTS = { ofHeader: 16, ofFrame: 8, bytes: 8 } as const;

/** How many frames are read at most. A log has more only while a long transaction reads an old snapshot. */
const FRAMES_MAX = 16_384;

/**
 * Prepares to look once a second whether the file was truncated; returns how many pages are missing at
 * least, 0 for none. While the engine answers from pages in its cache, nothing else tells of it.
 *
 * What was found is found for good: the engine itself makes the file longer again, with zeros in place of the
 * pages, and a file that was copied over this one does not fit the pages in its cache.
 */
export function watchLength(database: SqliteDatabase, identity: FileIdentity): () => number {
  const count = prepareCountMissing(database, identity);
  let longest = sizeOf(identity.file);
  let missing = 0;
  return () => {
    if (missing > 0) return missing;
    const found = count(longest);
    missing = found.missing;
    longest = found.longest;
    return missing;
  };
}

/**
 * Prepares to count the pages that are in neither the file nor its write-ahead log. The newest pages are in
 * the log alone until it is moved into the file, so a file that is too short for its pages is nothing
 * unusual: the log is read only where the file is shorter than `longest`, the length that it had before, or
 * lacks more pages than the log can hold.
 *
 * All is read within one transaction, which keeps the pages of its moment: no frame of the log is used again
 * before its page is in the file, and the file is not cut below these pages. The file itself is never opened,
 * as closing it would release the locks of this process.
 */
export function prepareCountMissing(
  database: SqliteDatabase,
  identity: FileIdentity,
): (longest: number) => { readonly missing: number; readonly longest: number } {
  const { file } = identity;
  const log = `${file}-wal`;
  // The engine begins to read with the first statement that reads a table.
  const begin = database.prepare('SELECT count(*) FROM sqlite_schema');
  const selectPages = database.prepare(
    'SELECT page_count AS count, page_size AS size FROM pragma_page_count, pragma_page_size',
  );

  function count(longest: number) {
    begin.get();
    const pages = selectPages.get() as Pages;
    const size = sizeOf(file);
    const inFile = Math.floor(size / pages.size);
    const lacking = Math.max(0, pages.count - inFile);
    const frames = Math.floor(sizeOf(log) / (FRAME_HEADER_BYTES + pages.size));
    let missing = Math.max(0, lacking - frames);
    if (lacking > 0 && (size < longest || missing > 0) && frames <= FRAMES_MAX)
      missing = lacking - countBehind(inFile, pages, listFrames(log, pages.size));
    // Of a file that was moved or replaced this says nothing.
    if (findDisplaced(identity) !== undefined) return { missing: 0, longest };
    return { missing, longest: lacking === 0 ? size : Math.max(size, longest) };
  }

  return (longest) => {
    database.exec('BEGIN');
    try {
      return count(longest);
    } finally {
      database.exec('COMMIT');
    }
  };
}

/** How many of some pages lie behind the end of the file. */
function countBehind(inFile: number, { count }: Pages, listed: ReadonlySet<number>): number {
  let found = 0;
  for (const page of listed) if (page > inFile && page <= count) found += 1;
  return found;
}

/** The numbers of the pages in a write-ahead log, with those that are not committed yet. */
function listFrames(log: string, pageSize: number): ReadonlySet<number> {
  const pages = new Set<number>();
  if (sizeOf(log) === 0) return pages;
  const handle = openSync(log, 'r');
  const read = (at: number, bytes: number): Buffer | undefined => {
    const buffer = Buffer.alloc(bytes);
    return readSync(handle, buffer, 0, bytes, at) === bytes ? buffer : undefined;
  };
  try {
    const saltsIn = (bytes: Buffer, at: number) => bytes.toString('hex', at, at + SALTS.bytes);
    const header = read(0, LOG_HEADER_BYTES);
    if (header === undefined) return pages;
    const salts = saltsIn(header, SALTS.ofHeader);
    for (let at = LOG_HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageSize) {
      const frame = read(at, FRAME_HEADER_BYTES);
      if (frame === undefined || saltsIn(frame, SALTS.ofFrame) !== salts) return pages;
      pages.add(frame.readUInt32BE(0));
    }
  } finally {
    closeSync(handle);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
