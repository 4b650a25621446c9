import { damage } from '../base/errors.ts';
import type { OptionWords } from '../base/options.ts';
import { createTextBuffer, type FileLine } from './lines.ts';

const [TAB, NEWLINE, RETURN, SPACE] = [0x09, 0x0a, 0x0d, 0x20];
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Splits a JSON array into the texts of its items, numbered from 1. It holds at most one item in memory, and
 * drops the bytes of an item that is too long as they come. It does not check the items. Throws an Error when
 * the array has no end, or when something follows it; every item before that has been yielded then.
 */
export async function* toJsonItems(
  source: AsyncIterable<Buffer>,
  words: OptionWords,
): AsyncGenerator<FileLine> {
  const item = createTextBuffer(words);
  // Depth 0 is outside of the array, 1 between its items, more within an item.
  let depth = 0;
  let isWithinText = false;
  let isEscaped = false;
  let hasEnded = false;
  for await (const chunk of source) {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (isWithinText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isWithinText = false;
        continue;
      }
      if (hasEnded) {
        if (!isBlank(byte)) throw damage('something follows the JSON array; an import file is one array');
      } else if (byte === QUOTE) isWithinText = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        depth += 1;
        if (depth === 1) start = i + 1;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || (byte === COMMA && depth === 1)) {
        if (byte !== COMMA) depth -= 1;
        hasEnded = depth === 0;
        if (depth > 1 || (depth === 1 && byte !== COMMA)) continue;
        item.add(chunk.subarray(start, i));
        start = i + 1;
        // `[]` has no item, and neither has what follows a last comma.
        const text = item.take();
        if (!hasEnded || !('text' in text) || text.text.trim() !== '') yield text;
      }
    }
    if (depth > 0) item.add(chunk.subarray(start));
  }
  if (!hasEnded) throw damage('the JSON array ends too early: the file is cut');
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
}
