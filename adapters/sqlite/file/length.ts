import { statSync } from 'node:fs';
import type { SqliteDatabase } from './database.ts';
import { findDisplaced, type FileIdentity } from './identity.ts';

/** How many pages the file has, with those that only its log holds, and how many bytes each takes. */
interface Pages {
  readonly count: number;
  readonly size: number;
}

/** A page in a write-ahead log stands behind so many bytes. */
const FRAME_HEADER_BYTES = 24;

/**
 * Prepares to look once a second whether the file was truncated; returns how many pages are missing at
 * least, 0 for none. While the engine answers from pages in its cache, nothing else tells of it.
 *
 * The newest pages are in the write-ahead log alone until it is moved into the file, so pages are missing if
 * a log of this size cannot hold what the file lacks. The sizes are read within one transaction, which keeps
 * the pages of its moment: neither file is cut below these. The file itself is never opened, as closing it
 * would release the locks of this process.
 *
 * What was found is found for good: the engine itself makes the file longer again, with zeros in place of the
 * pages, and a file that was copied over this one does not fit the pages in its cache.
 */
export function watchLength(database: SqliteDatabase, identity: FileIdentity): () => number {
  const { file } = identity;
  // The engine begins to read with the first statement that reads a table.
  const begin = database.prepare('SELECT count(*) FROM sqlite_schema');
  const selectPages = database.prepare(
    'SELECT page_count AS count, page_size AS size FROM pragma_page_count, pragma_page_size',
  );
  let missing = 0;

  function countMissing(): number {
    begin.get();
    const { count, size } = selectPages.get() as Pages;
    const inFile = Math.floor(sizeOf(file) / size);
    const inLog = Math.floor(sizeOf(`${file}-wal`) / (FRAME_HEADER_BYTES + size));
    // Of a file that was moved or replaced this says nothing.
    return findDisplaced(identity) === undefined ? Math.max(0, count - inFile - inLog) : 0;
  }

  return () => {
    if (missing > 0) return missing;
    database.exec('BEGIN');
    try {
      missing = countMissing();
    } finally {
      database.exec('COMMIT');
    }
    return missing;
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
