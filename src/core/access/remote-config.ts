import { ApiError, invalid } from '../base/errors.ts';
import { compareCodePoints, quoteAny, utf8Length } from '../event/text.ts';

/** One value of a tenant's remote config, which its pages and programs read by its key. */
export interface ConfigEntry {
  /** 1 to 128 of `A-Z a-z 0-9 . _ -`, beginning with a letter or digit. */
  readonly key: string;
  /** A text of 1 to 4,096 characters. */
  readonly value: string;
}

/** Sets the value of a key, or removes it: `value` is then null. */
export interface ConfigChange {
  /** The key of an entry. */
  readonly key: string;
  /** The new value; null removes the entry. */
  readonly value: string | null;
}

/** What a key is made of. */
export const CONFIG_KEY_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
/** The longest value, in characters. */
export const VALUE_LENGTH_MAX = 4_096;
/** How many keys a tenant may have. */
const CONFIG_KEYS_MAX = 200;
/** How many bytes in UTF-8 the keys and values of a tenant may have: every page loads all of them. */
const CONFIG_BYTES_MAX = 65_536;

/**
 * The entries after a change: the same array if it changes nothing, and `full` if it has no room. What takes
 * less room than before always has some.
 */
export function withConfigChange(
  entries: readonly ConfigEntry[],
  { key, value }: ConfigChange,
): readonly ConfigEntry[] | 'full' {
  const before = entries.find((entry) => entry.key === key);
  if ((before?.value ?? null) === value) return entries;
  const others = entries.filter((entry) => entry !== before);
  if (value === null) return others;
  const after = [...others, { key, value }].sort((a, b) => compareCodePoints(a.key, b.key));
  const isSmaller = before !== undefined && utf8Length(value) <= utf8Length(before.value);
  const fits = after.length <= CONFIG_KEYS_MAX && bytesOf(after) <= CONFIG_BYTES_MAX;
  return fits || isSmaller ? after : 'full';
}

function bytesOf(entries: readonly ConfigEntry[]): number {
  return entries.reduce((sum, { key, value }) => sum + key.length + utf8Length(value), 0);
}

/** The refusal of an entry for which there is no room. */
export function configFull(key: string): ApiError {
  const holds = `holds at most ${CONFIG_KEYS_MAX} keys, and ${CONFIG_BYTES_MAX} bytes of keys and values`;
  return invalid('remote config', `${holds}; there is no room for ${quoteAny(key)}. Remove others first`);
}
