import { bytesOfText, textOfBytes } from './utf8.ts';

/**
 * Whether every store can keep a text: well-formed Unicode (UTF-8 cannot encode a lone surrogate) without
 * U+0000 (Postgres text cannot hold it).
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}

/** The length of a well-formed text in Unicode code points, which people call characters. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    // The second half of a surrogate pair belongs to the character that its first half started.
    const unit = text.charCodeAt(i);
    if (unit >= 0xdc00 && unit <= 0xdfff) length -= 1;
  }
  return length;
}

/** The length in bytes that a well-formed text has as UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate pair is two units and four bytes, so each of its halves adds one byte to the unit already
    // counted.
    if (unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff)) bytes += 2;
    else if (unit >= 0x80) bytes += 1;
  }
  return bytes;
}

/**
 * Ranks the units of surrogate pairs above all others, which turns the order of UTF-16 units into that of
 * code points.
 */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Compares by Unicode code point, which equals UTF-8 byte order and the order of SQLite, Postgres with
 * `collate "C"` and ClickHouse. JavaScript's own `<` compares UTF-16 units and puts an emoji before U+FF5E.
 * Returns less than, equal to or more than 0.
 */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = a.length < b.length ? a.length : b.length;
  for (let i = 0; i < shorter; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

const CLIP_LENGTH = 60;

/** Names a JSON value in an error message, clipped: `the string "10"`, `an array`, `nothing`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'string') return `the string ${quote(value)}`;
  if (typeof value === 'number') return `the number ${String(value)}`;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Like `quote`, for a value that should be a string; describes any other value. */
export function quoteAny(value: unknown): string {
  return typeof value === 'string' ? quote(value) : describeValue(value);
}

/** Quotes a text from a request for an error message: JSON escapes, clipped to 60 characters. */
export function quote(text: string): string {
  const clipped = text.length > CLIP_LENGTH ? `${text.slice(0, CLIP_LENGTH)}…` : text;
  return JSON.stringify(clipped.toWellFormed());
}

/** What stands for another character in a value of a form. */
const ESCAPED = /[+%]/;

/**
 * A decoded value of `application/x-www-form-urlencoded`; undefined where its escapes are no UTF-8. It is one
 * pass over the bytes: a replacement of a million characters takes a hundred times as long.
 */
export function decodeFormValue(value: string): string | undefined {
  if (!ESCAPED.test(value)) return value;
  const bytes = bytesOfText(value);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i]!;
    if (byte === PLUS) byte = BLANK;
    else if (byte === PERCENT) {
      byte = (valueOfHex(bytes[i + 1]) << 4) | valueOfHex(bytes[i + 2]);
      if (byte < 0) return undefined;
      i += 2;
    }
    bytes[length++] = byte;
  }
  return textOfBytes(bytes.subarray(0, length));
}

const [BLANK, PERCENT, PLUS] = [0x20, 0x25, 0x2b];

/** The value of a hexadecimal digit; -1 for any other byte. */
function valueOfHex(digit = 0): number {
  if (digit >= 0x30 && digit <= 0x39) return digit - 0x30;
  const letter = digit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
