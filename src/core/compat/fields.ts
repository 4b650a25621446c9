import { isJsonObject } from '../event/event.ts';

// What becomes of messages and records of other tools in the same way, however they come: a message that its
// SDK sends, and the same one that is imported from an export, are the same event.

/** The user of a message that names none. */
export const ANONYMOUS = 'anonymous';

/** The prefix of an `insertId` made of an id of the sender's own that does not fit. */
export const HASHED_ID = 'id';

/** The `insertId` that a SHA-256 makes; 128 bits of it are enough. `prefix` says whose rule it follows. */
export function toInsertId(prefix: string, sha256: string): string {
  return `${prefix}-${sha256.slice(0, 32)}`;
}

/** Whether a value is an integer that JSON may have rounded: two ids may have become this one. */
export function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** A key that no property of the sender has: its own must not be lost. */
export function freeKey(own: Readonly<Record<string, unknown>>, key: string): string {
  return Object.hasOwn(own, key) ? freeKey(own, `${key}_`) : key;
}

/** Whether a field says nothing: null, an empty text or an empty object. */
export function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
