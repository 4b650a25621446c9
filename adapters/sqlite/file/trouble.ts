import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';

/** The SQLite results that mean "not now". Their numbers are the same in every driver. */
const RESULTS = {
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_NOMEM: 7,
  SQLITE_READONLY: 8,
  SQLITE_INTERRUPT: 9,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_PROTOCOL: 15,
  SQLITE_NOTADB: 26,
} as const;

type Result = keyof typeof RESULTS;

/** The name of the error that is thrown because the file is not the one that was opened, or is newer. */
const NOT_OURS = 'EVENT_QUERY_NOT_OURS';

/** The I/O errors that mean that the disk accepts no more data. */
const UNWRITTEN = /^SQLITE_IOERR_(WRITE|SHMSIZE)$/;
const UNWRITTEN_NUMBERS = [778, 4874];

/** What to do with a file that has lost something. */
export const WHEN_DAMAGED =
  'stop what has it open, then restore a backup, or save what can be read with ' +
  '"event-query check --repair NEW-FILE"';

/** The messages for results that people can act on. */
const SENTENCES: Readonly<Partial<Record<Result, (file: string, engine: string) => string>>> = {
  SQLITE_BUSY: (file, engine) =>
    `${file} is held by another process that writes (${engine}): try again later`,
  SQLITE_READONLY: (file, engine) =>
    `${file} cannot be written (${engine}): give this user the right to write it, its -wal and -shm, and ` +
    'in its folder',
  SQLITE_IOERR: (file, engine) =>
    `the disk of ${file} fails (${engine}): look at the log of the system, and copy the file elsewhere`,
  SQLITE_CORRUPT: (file, engine) => `${file} is damaged (${engine}): ${WHEN_DAMAGED}`,
  SQLITE_FULL: (file, engine) =>
    `the disk of ${file} is full (${engine}): free some room, or erase events, which works without any`,
  SQLITE_CANTOPEN: (file, engine) =>
    isOnReadOnlyDisk(file)
      ? `${file} is on a read-only file system (${engine}): copy it with its -wal to another one, because ` +
        'SQLite writes beside a file that it reads'
      : `${file} cannot be opened (${engine}): look at its rights and its folder's`,
};

function isOnReadOnlyDisk(file: string): boolean {
  try {
    accessSync(dirname(file), constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** The result of an engine error; undefined if it is not one of these. */
export function resultOf(error: unknown): Result | undefined {
  const { code, errcode } = codesOf(error);
  const names = Object.keys(RESULTS) as Result[];
  // node:sqlite gives the extended result code as a number, whose low byte is the primary one.
  if (typeof errcode === 'number') return names.find((name) => RESULTS[name] === (errcode & 0xff));
  // better-sqlite3 gives the name of the extended code, which starts with the primary one:
  // SQLITE_IOERR_WRITE.
  if (typeof code !== 'string') return undefined;
  return names.find((name) => code === name || code.startsWith(`${name}_`));
}

/** Whether an error means that the file accepts no more data, since the disk is full. */
export function isFull(error: unknown): boolean {
  const { code, errcode } = codesOf(error);
  if (resultOf(error) === 'SQLITE_FULL') return true;
  return UNWRITTEN_NUMBERS.includes(errcode as number) || (typeof code === 'string' && UNWRITTEN.test(code));
}

/** Whether an error says that the file is not the one that was opened, or has a newer schema. */
export function isNotOurs(error: unknown): boolean {
  return codesOf(error).code === NOT_OURS;
}

/** The same error with a message that names the file and what to do; it keeps its codes. */
export function explain(error: unknown, file: string): unknown {
  // A disk may also refuse data as an I/O error.
  const result = isFull(error) ? 'SQLITE_FULL' : resultOf(error);
  const say = result && SENTENCES[result];
  if (say === undefined || !(error instanceof Error) || error.message.includes(file)) return error;
  return Object.assign(new Error(say(file, error.message), { cause: error }), codesOf(error));
}

/** An error for a file that cannot be used as it is. */
export function notOurs(message: string): Error {
  return Object.assign(new Error(message), { code: NOT_OURS });
}

/** The cause of an error that a store threw. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.name === 'ApiError' ? error.cause : error;
}

function codesOf(error: unknown): { readonly code?: unknown; readonly errcode?: unknown } {
  if (!(error instanceof Error)) return {};
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return { ...(code !== undefined && { code }), ...(errcode !== undefined && { errcode }) };
}
