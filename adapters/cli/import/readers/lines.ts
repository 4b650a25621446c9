import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { EVENT_BYTES_MAX } from '../../../../src/internal.ts';
import { failure, messageOf } from '../../process/errors.ts';
import { peek } from './head.ts';

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
const GZIP_MAGIC = [0x1f, 0x8b];
/**
 * Deflate compresses at most about 1,000 times, so a chunk of this size unpacks to 16 MiB at most.
 */
const GZIP_PIECE_BYTES = 16_384;

/**
 * Unpacks bytes that begin like gzip, and passes others on. Throws an Error of one line when gzip is damaged.
 */
export async function* unpack(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await peek(source, ({ length }) => length >= GZIP_MAGIC.length);
  if (GZIP_MAGIC.every((byte, i) => head[i] === byte)) yield* gunzip(all);
  else yield* all;
}

/**
 * Unpacks gzip in small chunks. It yields all output of a chunk before it writes the next one, so that
 * everything before a damaged place has been yielded when the error is thrown.
 */
async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip();
  const unpacked: Buffer[] = [];
  const broken = new Promise<never>((_, reject) => stream.once('error', reject));
  // The races below handle this rejection; between them it must not count as unhandled.
  broken.catch(() => undefined);
  stream.on('data', (chunk: Buffer) => unpacked.push(chunk));
  const settled = (act: (done: () => void) => void) => Promise.race([new Promise<void>(act), broken]);
  try {
    for await (const chunk of source) {
      for (let i = 0; i < chunk.length; i += GZIP_PIECE_BYTES) {
        await settled((done) =>
          stream.write(chunk.subarray(i, i + GZIP_PIECE_BYTES), () => setImmediate(done)),
        );
        yield* unpacked.splice(0);
      }
    }
    await settled((done) => stream.once('end', done).end());
    yield* unpacked.splice(0);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // An error of reading the file is not an error of the gzip data.
    if (!code.startsWith('Z_')) throw error;
    const cut = code === 'Z_BUF_ERROR';
    throw failure(
      cut ? 'the gzip data ends too early: the file is cut' : `the gzip data is damaged: ${messageOf(error)}`,
    );
  } finally {
    stream.destroy();
  }
}

/** Collects the bytes of one text after another, and holds no more of one than an event may have. */
interface TextBuffer {
  add(bytes: Buffer): void;
  /** Ends a text; the next one begins. */
  take(): FileLine;
  /** How many bytes the text that is not ended has so far. */
  length(): number;
}

/** Makes a buffer that numbers its texts from 1. */
export function createTextBuffer(): TextBuffer {
  let number = 1;
  let parts: Buffer[] = [];
  /** The quotes of the bytes that were dropped. */
  let quotes = 0;
  let bytes = 0;
  return {
    add(part) {
      bytes += part.length;
      parts.push(part);
      if (bytes <= LINE_BYTES_MAX) return;
      quotes += countQuotes(parts);
      parts = [];
    },
    take() {
      const text = toText(number, bytes, parts, quotes);
      number += 1;
      parts = [];
      [bytes, quotes] = [0, 0];
      return text;
    },
    length: () => bytes,
  };
}

/**
 * Splits bytes into lines, without line ends (LF or CRLF) and without a byte order mark. It holds at most one
 * line in memory, and drops the bytes of a line that is too long as they come.
 */
export async function* toLines(source: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  for await (const line of toLinesWithReturns(source)) {
    yield 'text' in line && line.text.endsWith('\r') ? { ...line, text: line.text.slice(0, -1) } : line;
  }
}

/** The same, but the carriage return before a line end stays: within a cell of CSV it belongs to the text. */
export async function* toLinesWithReturns(source: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  const line = createTextBuffer();
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      line.add(chunk.subarray(start, end));
      yield line.take();
      start = end + 1;
    }
    if (start < chunk.length) line.add(chunk.subarray(start));
  }
  if (line.length() > 0) yield line.take();
}

function toText(number: number, bytes: number, parts: readonly Buffer[], quotes: number): FileLine {
  if (bytes > LINE_BYTES_MAX)
    return { number, bytes, problem: `takes at most ${LINE_BYTES_MAX} bytes, got ${bytes}`, quotes };
  const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  if (!isUtf8(whole)) return { number, bytes, problem: 'is not UTF-8', quotes: countQuotes(parts) };
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
