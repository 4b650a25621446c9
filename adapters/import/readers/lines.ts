import { isUtf8 } from 'node:buffer';
import { EVENT_BYTES_MAX } from '../../../src/internal.ts';
import type { OptionWords } from '../base/options.ts';

/** A line of a file, with its number from 1, and its text or the reason why it cannot be read. */
export type FileLine =
  | { readonly number: number; readonly bytes: number; readonly text: string }
  | {
      readonly number: number;
      readonly bytes: number;
      readonly problem: string;
      /** How many quotes it has, by which CSV knows whether a cell goes on behind it. */
      readonly quotes: number;
    };

/**
 * The longest line: the largest event, plus room for the parts of a line that do not count towards its size.
 */
export const LINE_BYTES_MAX = EVENT_BYTES_MAX + 8192;

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** Collects the bytes of one text after another, and holds no more of one than an event may have. */
interface TextBuffer {
  add(bytes: Buffer): void;
  /** Ends a text; the next one begins. */
  take(): FileLine;
  /** Ends a text that is empty. */
  skip(): void;
  /** How many bytes the text that is not ended has so far. */
  length(): number;
}

/** Makes a buffer that numbers its texts from 1. */
export function createTextBuffer(words: OptionWords): TextBuffer {
  let number = 1;
  let parts: Buffer[] = [];
  /** The quotes of the bytes that were dropped. */
  let quotes = 0;
  let bytes = 0;
  return {
    add(part) {
      if (part.length === 0) return;
      bytes += part.length;
      parts.push(part);
      if (bytes <= LINE_BYTES_MAX) return;
      quotes += countQuotes(parts);
      parts = [];
    },
    take() {
      const text = toText({ number, bytes, parts, quotes }, words);
      number += 1;
      parts = [];
      [bytes, quotes] = [0, 0];
      return text;
    },
    skip() {
      number += 1;
    },
    length: () => bytes,
  };
}

/**
 * Splits bytes into lines that are not empty, without line ends (LF or CRLF) and without a byte order mark.
 * It holds at most one line in memory, and drops the bytes of a line that is too long as they come.
 */
export async function* toLines(source: AsyncIterable<Buffer>, words: OptionWords): AsyncGenerator<FileLine> {
  for await (const line of splitLines(source, words, false)) {
    yield 'text' in line && line.text.endsWith('\r') ? { ...line, text: line.text.slice(0, -1) } : line;
  }
}

/** All lines, with the carriage return before a line end: within a cell of CSV it belongs to the text. */
export function toLinesWithReturns(
  source: AsyncIterable<Buffer>,
  words: OptionWords,
): AsyncGenerator<FileLine> {
  return splitLines(source, words, true);
}

async function* splitLines(
  source: AsyncIterable<Buffer>,
  words: OptionWords,
  withEmpty: boolean,
): AsyncGenerator<FileLine> {
  const line = createTextBuffer(words);
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      start = end + 1;
      // A file may hold nothing else, millions of times.
      if (withEmpty || line.length() > 0) yield line.take();
      else line.skip();
    }
    if (start < chunk.length) line.add(chunk.subarray(start));
  }
  if (line.length() > 0) yield line.take();
}

/** The bytes of a text, those of a part that was dropped left out. */
interface TextParts {
  readonly number: number;
  readonly bytes: number;
  readonly parts: readonly Buffer[];
  readonly quotes: number;
}

function toText({ number, bytes, parts, quotes }: TextParts, { option }: OptionWords): FileLine {
  if (bytes > LINE_BYTES_MAX)
    return { number, bytes, problem: `takes at most ${LINE_BYTES_MAX} bytes, got ${bytes}`, quotes };
  const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  if (!isUtf8(whole))
    return {
      number,
      bytes,
      problem: `is not UTF-8, or not what ${option('encoding')} says`,
      quotes: countQuotes(parts),
    };
  const text = whole.toString('utf8');
  return { number, bytes, text: number === 1 ? text.replace(/^\ufeff/, '') : text };
}

function countQuotes(parts: readonly Buffer[]): number {
  let count = 0;
  for (const part of parts) {
    for (let at = part.indexOf(QUOTE); at !== -1; at = part.indexOf(QUOTE, at + 1)) count += 1;
  }
  return count;
}
