import { exactJson } from '../../../src/internal.ts';

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const ZERO_WIDTH_JOINER = '\u200d';
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes an untrusted text safe for a terminal: control characters, bidirectional controls and lone surrogates
 * become visible escapes, so that no event can move the cursor, hide text or forge a line.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => {
    if (character === ZERO_WIDTH_JOINER) return character;
    const code = character.codePointAt(0) ?? 0;
    return SHORT_ESCAPES[character] ?? (code > 0xffff ? `\\u{${code.toString(16)}}` : escapeUnit(code));
  });
}

/**
 * Escapes the same characters as `printable` in lines of JSON, with JSON escapes, so that the values stay the
 * same.
 */
export function printableJson(lines: string): string {
  return lines.replace(UNSAFE, (character) => {
    if (character === ZERO_WIDTH_JOINER || character === '\n') return character;
    return character.replace(/[^]/g, (unit) => escapeUnit(unit.charCodeAt(0)));
  });
}

/** Applies `printable` to lines of text and keeps their line ends, CRLF or LF. */
export function printableLines(lines: string): string {
  return lines.replace(/[^\r\n]+|\r(?!\n)/g, printable);
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** Quotes any text as one word of a shell command. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A value as JSON, with whole numbers in their digits, as answers have them. */
export function valueText(value: unknown): string {
  return exactJson(JSON.stringify(value));
}
