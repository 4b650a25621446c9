import { CommanderError } from 'commander';
import { isApiError } from '../../src/index.ts';
import { printable } from './print/printable.ts';

/** The exit codes: all well, something failed, the command was called wrongly. */
export const EXIT = { ok: 0, failure: 1, misuse: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with a code and one line on stderr. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command was right and could not be done. */
export function failure(message: string): CliError {
  return new CliError(EXIT.failure, message);
}

/** The command was called wrongly. */
export function misuse(message: string): CliError {
  return new CliError(EXIT.misuse, message);
}

/** Whether the command was called wrongly. */
export function isMisuse(error: unknown): error is CliError {
  return error instanceof CliError && error.exitCode === EXIT.misuse;
}

/** The text of whatever was thrown; for a store that is away, what lies behind it. */
export function messageOf(error: unknown): string {
  const seen = isApiError(error) && error.status >= 500 && error.cause instanceof Error ? error.cause : error;
  return seen instanceof Error ? seen.message : String(seen);
}

/**
 * How a command ends that threw `error`: its exit code, and the line for stderr where there is one to say.
 */
export function toEnding(error: unknown): { readonly exitCode: ExitCode; readonly line?: string } {
  if (error instanceof CommanderError && !error.message.startsWith('error:')) {
    // Commander throws after it has printed help or the version, too; asked for, that is success.
    return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.misuse };
  }
  const line = printable(
    messageOf(error)
      .replace(/^error: /, '')
      .split('\n')
      .map((part) => part.trim())
      .join(' '),
  );
  return { exitCode: exitCodeOf(error), line: `event-query: ${line}` };
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof CommanderError) return EXIT.misuse;
  // The core answers a value that cannot be right with 400, whether it came in a body or from a flag.
  return isApiError(error) && error.status === 400 ? EXIT.misuse : EXIT.failure;
}

/** Whether the reader of stdout has gone, as `| head` does when it has seen enough. */
export function isBrokenPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}
