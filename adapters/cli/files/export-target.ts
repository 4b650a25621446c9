import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { EVENT_BYTES_MAX, parseInstant, toCursor, type EventQuery } from '../../../src/index.ts';
import { failure } from '../errors.ts';
import { write } from '../print/output.ts';

/** Where an export goes. */
export interface Target {
  /** Resolves when the text is taken, or rejects when nobody takes it any more. */
  write(text: string): Promise<void>;
  /** Everything was written: a file takes its name. */
  finish(): void;
  close(): void;
}

/** More than the longest line that an export writes. */
const TAIL_BYTES = EVENT_BYTES_MAX + 65_536;
const NEWLINE = 0x0a;

/** What is exported, from where on. */
export interface Job {
  readonly tenantId: string;
  readonly query: EventQuery;
  readonly cursor: string | undefined;
}

/**
 * Opens stdout, or `file`, which grows as a part beside it and takes its name when it is whole. With a cursor
 * it appends to the part that ends there. Throws an Error where a part is in the way, or ends elsewhere.
 */
export function openTarget(file: string | undefined, job: Job): Target {
  if (file === undefined) return { write, finish: () => undefined, close: () => undefined };
  const { query, cursor } = job;
  // The part of another tenant or other filters has another name, so that no file is ever sewn together from
  // two.
  const digest = createHash('sha256')
    .update(JSON.stringify([job.tenantId, query]))
    .digest('hex')
    .slice(0, 8);
  const part = `${file}.${digest}.part`;
  const found = existsSync(part);
  if (cursor !== undefined && !found)
    throw failure(`there is no ${part} to append to; leave --cursor out to begin anew`);
  const handle = openSync(part, found ? 'r+' : 'wx');
  try {
    const end = found ? endOf(handle) : { bytes: 0, cursorOf: () => undefined };
    const own = end.cursorOf(query);
    if (own !== cursor) throw failure(describeMismatch(part, own));
    ftruncateSync(handle, end.bytes);
    return toTarget(handle, end.bytes, part, file);
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

function toTarget(handle: number, start: number, part: string, file: string): Target {
  let position = start;
  return {
    write: (text) => {
      const bytes = Buffer.from(text);
      try {
        for (let done = 0; done < bytes.length;) {
          done += writeSync(handle, bytes, done, bytes.length - done, position + done);
        }
      } catch (error) {
        // What was written of this page goes again, so that the part ends where the cursor of the message
        // says.
        ftruncateSync(handle, position);
        throw error;
      }
      position += bytes.length;
      return Promise.resolve();
    },
    finish: () => {
      fsyncSync(handle);
      renameSync(part, file);
    },
    close: () => closeSync(handle),
  };
}

function describeMismatch(part: string, cursor: string | undefined): string {
  const left = `${part} is left of an export that did not end`;
  if (cursor === undefined) return `${left}, without a whole line; remove it and leave --cursor out`;
  return `${left}; go on with --cursor '${cursor}', or remove it and leave --cursor out`;
}

/** Where the last whole line of a part ends, and the cursor behind its event. */
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
    // The message below says what matters.
  }
  throw failure('the part does not end with an event; remove it and leave --cursor out');
}
