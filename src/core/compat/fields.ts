/** SDKs send null or an empty text for what they do not know. */
export function present(value: unknown): unknown {
  return value === null || value === '' ? undefined : value;
}

/**
 * A number as a text, since older libraries send numbers. A larger one has lost digits and may be that of
 * somebody else, so it stays a number, which no event takes.
 */
export function toUserId(id: unknown): unknown {
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
}

/** A key that no property of the sender has: its own must not be lost. `import` names them alike. */
export function freeKey(own: Readonly<Record<string, unknown>>, key: string): string {
  return Object.hasOwn(own, key) ? freeKey(own, `${key}_`) : key;
}
