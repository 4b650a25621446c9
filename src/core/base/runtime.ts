/** Clock, randomness and hashing. The core takes them from here only. */
export interface Runtime {
  /** Epoch milliseconds, a whole number. It may step back. */
  now(): number;
  /** Milliseconds with fractions, by a clock that never steps back, for durations. Default: `now`. */
  elapsed?(): number;
  /** Resolves after `ms` milliseconds. */
  sleep(ms: number): Promise<void>;
  /** The bytes of a text in UTF-8. Where it is absent, the core counts them itself, which takes longer. */
  utf8Length?(text: string): number;
  /** A random UUID. */
  uuid(): string;
  /** Cryptographically strong random bytes. */
  randomBytes(length: number): Uint8Array;
  /** The SHA-256 of a text's UTF-8 bytes, as 64 lower-case hexadecimal digits. */
  sha256(text: string): string | Promise<string>;
}

/** A clock; a Runtime is one. */
export type Clock = Pick<Runtime, 'now'>;

/** The log of the service. It never receives secrets. */
export interface Logger {
  /** Logs normal operation, such as a request. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Logs what is odd and not a fault, such as a slow question. Absent: it is logged as normal operation. */
  warn?(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Logs a fault that an operator should look at, such as the cause of a 5xx. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
