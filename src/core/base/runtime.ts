/** Clock and randomness, which the core never takes by itself. */
export interface Runtime {
  /** Epoch milliseconds, a whole number. It may step back. */
  now(): number;
  /** Resolves after so many milliseconds. Absent: whoever would wait for events to come answers at once. */
  sleep?(ms: number): Promise<void>;
  /** A random UUID. */
  uuid(): string;
  /** Cryptographically strong random bytes. */
  randomBytes(length: number): Uint8Array;
  /** The SHA-256 of a text's UTF-8 bytes, as 64 lower-case hexadecimal digits. */
  sha256(text: string): string | Promise<string>;
}

/** What tells the time: a Runtime is one. */
export type Clock = Pick<Runtime, 'now'>;

/** Where the service says what happened. Nothing secret is ever passed here. */
export interface Logger {
  /** What went as it should: the line of a request. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** What somebody should look at: the cause of a 5xx. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
