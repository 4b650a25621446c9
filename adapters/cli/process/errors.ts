import { CommanderError } from 'commander';
import { isApiError } from '../../../src/index.ts';

/** The exit codes: success, failure, wrong usage. */
export const EXIT = { ok: 0, failure: 1, misuse: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with an exit code and one line on stderr. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Makes the error of a correct command that failed. */
export function failure(message: string): CliError {
  return new CliError(EXIT.failure, message);
}

/** Makes the error of a command that was called wrongly. */
export function misuse(message: string): CliError {
  return new CliError(EXIT.misuse, message);
}

/** Whether an error means that the command was called wrongly. */
export function isMisuse(error: unknown): error is CliError {
  return error instanceof CliError && error.exitCode === EXIT.misuse;
}

/** Works, and turns what is thrown into a failure that begins with what was attempted. */
export function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw failure(`${what}: ${messageOf(error)}`);
  }
}

/** The message of anything that was thrown; for a server error (5xx), that of its cause. */
export function messageOf(error: unknown): string {
  const seen = isApiError(error) && error.status >= 500 && error.cause instanceof Error ? error.cause : error;
  return seen instanceof Error ? (fileMessageOf(seen) ?? seen.message) : String(seen);
}

/** What is wrong with a file, in words instead of the system's code, and what to do about it. */
const FILE_FAULTS: Readonly<Record<string, { readonly words: string; readonly remedy: string }>> = {
  EACCES: {
    words: 'this user has no permission for it',
    remedy: 'run it as the owner, or give this user the right',
  },
  EDQUOT: {
    words: 'the disk of it is full for this user',
    remedy: 'free some room, or name a place on another disk',
  },
  EISDIR: { words: 'it is a folder, not a file', remedy: 'name a file in it' },
  ELOOP: { words: 'a link in it leads back to itself', remedy: 'name another place' },
  ENAMETOOLONG: { words: 'the name of it is too long', remedy: 'name a shorter one' },
  ENOENT: { words: 'there is no such file or folder', remedy: 'name another place' },
  ENOSPC: { words: 'the disk of it is full', remedy: 'free some room, or name a place on another disk' },
  ENOTDIR: { words: 'a part of it is a file, not a folder', remedy: 'name another place' },
  EROFS: {
    words: 'it is on a read-only file system',
    remedy: 'name a place on another one, or mount it for writing',
  },
};

function faultOf({ code = '', path, syscall }: NodeJS.ErrnoException) {
  const fault = FILE_FAULTS[code === 'EPERM' ? 'EACCES' : code];
  // A socket that cannot be reached has a path, too.
  return fault === undefined || typeof path !== 'string' || syscall === 'connect'
    ? undefined
    : { ...fault, path };
}

function fileMessageOf(error: NodeJS.ErrnoException): string | undefined {
  const fault = faultOf(error);
  return fault && `${fault.path}: ${fault.words}`;
}

/** Describes an error of the file system in words, with what to do. */
export function describeFileError(error: unknown): string {
  const fault = faultOf(error as NodeJS.ErrnoException);
  if (fault === undefined) return messageOf(error);
  const { words, path, remedy } = fault;
  const named = words.replace(/\bit\b/, () => path);
  return `${named === words ? `${path}: ${words}` : named}; ${remedy}`;
}

/** Joins the lines of a text. */
export function onOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}

/**
 * How a command ends after `error` was thrown: its exit code, and the reason for stderr on one line, if any.
 */
export function toEnding(error: unknown): { readonly exitCode: ExitCode; readonly reason?: string } {
  if (error instanceof CommanderError && !error.message.startsWith('error:')) {
    // Commander also throws after printing help or the version, which is a success when the user asked for
    // it.
    return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.misuse };
  }
  return { exitCode: exitCodeOf(error), reason: onOneLine(messageOf(error).replace(/^error: /, '')) };
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof CommanderError) return EXIT.misuse;
  // The core rejects invalid values with 400, whether they come from a body or from a flag.
  return isApiError(error) && error.status === 400 ? EXIT.misuse : EXIT.failure;
}

/** The reader of stdout has closed the pipe, as `| head` does. */
class BrokenPipeError extends Error {
  override readonly name = 'BrokenPipeError';
}

/**
 * The error of a write to stdout. Only this one may mean that the reader has gone, which is no failure: the
 * connection to a database can break with the same code.
 */
export function errorOfStdout(error: Error): Error {
  const code = 'code' in error ? error.code : undefined;
  const isGone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
  return isGone ? new BrokenPipeError(error.message, { cause: error }) : error;
}

/** Whether the reader of stdout has gone. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof BrokenPipeError;
}
