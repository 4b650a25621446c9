const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const ZERO_WIDTH_JOINER = '\u200d';
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes a text from outside safe for a terminal: control characters, those that change the direction of
 * writing, and lone surrogates become visible escapes, so that no event can move the cursor, hide text or
 * forge a line.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => {
    if (character === ZERO_WIDTH_JOINER) return character;
    const code = character.codePointAt(0) ?? 0;
    return SHORT_ESCAPES[character] ?? (code > 0xffff ? `\\u{${code.toString(16)}}` : escapeUnit(code));
  });
}

/**
 * Lines of JSON with the same characters escaped that `printable` escapes, in the way of JSON: their values
 * are the same.
 */
export function printableJson(lines: string): string {
  return lines.replace(UNSAFE, (character) => {
    if (character === ZERO_WIDTH_JOINER || character === '\n') return character;
    return character.replace(/[^]/g, (unit) => escapeUnit(unit.charCodeAt(0)));
  });
}

/** The same for lines of text: their ends, CRLF or LF, stay. */
export function printableLines(lines: string): string {
  return lines.replace(/[^\r\n]+|\r(?!\n)/g, printable);
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

/** A text as one word of a command that is pasted into a shell, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
