import type { FileLayout, OptionWords } from './options.ts';

/** What more an `ImportError` says. */
export interface ImportErrorDetails {
  /** Options with which the file can be read, as far as it shows them. */
  readonly proposal?: FileLayout;
  /** The file of a zip that it is about. */
  readonly member?: string;
}

/** A file that cannot be read, or not with these options. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  /** What to change: `options` that do not fit the file, or the `file`, which is cut or damaged. */
  readonly fault: 'options' | 'file';
  /** Options with which the file can be read, as far as it shows them. */
  readonly proposal?: FileLayout;
  /** The file of a zip that it is about; the message begins with its name. */
  readonly member?: string;

  constructor(fault: ImportError['fault'], message: string, { proposal, member }: ImportErrorDetails = {}) {
    super(message);
    this.fault = fault;
    if (proposal !== undefined) this.proposal = proposal;
    if (member !== undefined) this.member = member;
  }
}

/** Makes the error of options that do not fit the file. */
export function misfit(message: string, proposal?: FileLayout): ImportError {
  return new ImportError('options', message, proposal && { proposal });
}

/** Makes the error of a `list` in what is no object of JSON. */
export function noList({ option }: OptionWords, what: string): ImportError {
  return misfit(`${option('list')} names a list within an object of JSON, and this is ${what}`);
}

/** Makes the error of a file that is cut or damaged. */
export function damage(message: string): ImportError {
  return new ImportError('file', message);
}

/** What is thrown of a file of a zip: it names the file. */
export function inMember(error: unknown, member: string | undefined): unknown {
  if (!(error instanceof ImportError) || member === undefined || error.member !== undefined) return error;
  const { fault, message, proposal } = error;
  return new ImportError(fault, `${member}: ${message}`, { member, ...(proposal && { proposal }) });
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
