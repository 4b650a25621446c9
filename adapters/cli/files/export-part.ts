import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EVENT_BYTES_MAX, parseInstant, toCursor } from '../../../src/internal.ts';
import type { EventQuery } from '../../../src/store-kit.ts';
import { failure } from '../process/errors.ts';
import { RESUMABLE } from '../formats/format.ts';
import { shellWord } from '../print/printable.ts';
import type { ExportJob, ExportSink } from './target.ts';

/** Longer than any line of an export. */
const TAIL_BYTES = EVENT_BYTES_MAX + 65_536;
const NEWLINE = 0x0a;
/** Only the owner may read an export, unless they change the mode. */
const OWNER_ONLY = 0o600;

/**
 * Opens the part file of an export, next to `file`; it is renamed to `file` when it is complete. With a
 * cursor, appends to the part that ends there. Throws an Error when an old part is in the way, or ends
 * elsewhere.
 */
export function openPart(file: string, job: ExportJob): ExportSink {
  const { query, cursor } = job;
  const isKept = RESUMABLE[job.format];
  // A part of a format that cannot be resumed may belong to a running export: leave it alone.
  const found = isKept ? findPart(file, job) : undefined;
  if (cursor !== undefined && found === undefined)
    throw failure(`there is no part of ${file} to append to; leave --cursor out to begin anew`);
  const part = found ?? `${prefixOf(file, job)}${randomBytes(8).toString('hex')}.part`;
  const handle = found === undefined ? create(part) : reopen(part);
  try {
    const end = found !== undefined ? endOf(handle) : { bytes: 0, cursorOf: () => undefined };
    const own = end.cursorOf(query);
    if (own !== cursor) throw failure(describeMismatch(part, own));
    ftruncateSync(handle, end.bytes);
    return toTarget(handle, end.bytes, { part, file, isKept });
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/**
 * The prefix of the part's name. It depends on the tenant, the filters, the fields and the format: a file is
 * never assembled from two different exports.
 */
function prefixOf(file: string, { tenantId, query, include, format }: ExportJob): string {
  const job = JSON.stringify([tenantId, query, format, ...include]);
  return `${file}.${createHash('sha256').update(job).digest('hex').slice(0, 8)}-`;
}

/**
 * Finds the part of an earlier run. Its name ends randomly, so that other users cannot plant a file there.
 */
function findPart(file: string, job: ExportJob): string | undefined {
  const folder = dirname(file);
  const prefix = basename(prefixOf(file, job));
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix) && name.endsWith('.part'));
  if (names.length > 1) throw failure(`there are several parts, ${names.join(' and ')}; remove all but one`);
  return names[0] === undefined ? undefined : join(folder, names[0]);
}

function create(part: string): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return openSync(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY);
}

/** Opens an existing part; refuses a file that another user may have put in its place. */
function reopen(part: string): number {
  const handle = openSync(part, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stats = fstatSync(handle);
  const own = stats.isFile() && stats.nlink === 1 && stats.uid === (process.getuid?.() ?? stats.uid);
  if (own) return handle;
  closeSync(handle);
  throw failure(`${part} is no part that you wrote; remove it`);
}

/** A part, its final name, and whether it is kept after a failure so that a later run can resume. */
interface Part {
  readonly part: string;
  readonly file: string;
  readonly isKept: boolean;
}

function toTarget(handle: number, start: number, { part, file, isKept }: Part): ExportSink {
  let position = start;
  let isDone = false;
  return {
    write: (piece) => {
      const bytes = Buffer.from(piece);
      try {
        for (let done = 0; done < bytes.length;) {
          done += writeSync(handle, bytes, done, bytes.length - done, position + done);
        }
      } catch (error) {
        // Remove the incomplete chunk, so that the part ends at the cursor in the error message.
        ftruncateSync(handle, position);
        throw error;
      }
      position += bytes.length;
      return Promise.resolve();
    },
    finish: () => {
      // After a power loss, a file with the final name must hold all its events.
      fsyncSync(handle);
      renameSync(part, file);
      isDone = true;
    },
    close: () => {
      closeSync(handle);
      if (!isDone && !isKept) rmSync(part, { force: true });
      return Promise.resolve();
    },
  };
}

function describeMismatch(part: string, cursor: string | undefined): string {
  const left = `${part} is left of an export that did not end`;
  if (cursor === undefined) return `${left}, without a whole line; remove it and leave --cursor out`;
  return `${left}; continue with --cursor ${shellWord(cursor)}, or remove it and leave --cursor out`;
}

/** Where the last complete line of a part ends, and the cursor after its event. */
function endOf(handle: number) {
  const { size } = fstatSync(handle);
  const length = Math.min(size, TAIL_BYTES);
  const tail = Buffer.alloc(length);
  readSync(handle, tail, 0, length, size - length);
  const end = tail.lastIndexOf(NEWLINE);
  const start = end <= 0 ? 0 : tail.lastIndexOf(NEWLINE, end - 1) + 1;
  const line = tail.toString('utf8', start, Math.max(end, 0));
  return {
    bytes: end === -1 ? 0 : size - length + end + 1,
    cursorOf: (query: EventQuery) => (end === -1 ? undefined : toCursorOf(line, query)),
  };
}

function toCursorOf(line: string, query: EventQuery): string {
  try {
    const { eventTs, insertId } = JSON.parse(line) as { eventTs: string; insertId: string };
    const ms = parseInstant(eventTs);
    if (ms !== undefined && typeof insertId === 'string') return toCursor(query, { eventTs: ms, insertId });
  } catch {
    // The error below says what to do.
  }
  throw failure('the part does not end with an event; remove it and leave --cursor out');
}
