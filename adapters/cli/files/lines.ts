import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { EVENT_BYTES_MAX } from '../../../src/internal.ts';
import { failure, messageOf, misuse } from '../errors.ts';

/** A line of a file, with its number from 1; a line that cannot be read says why instead. */
export type FileLine =
  | { readonly number: number; readonly bytes: number; readonly text: string }
  | { readonly number: number; readonly bytes: number; readonly problem: string };

/**
 * The longest line: the largest event, and what its line carries besides the bytes that count for that limit.
 */
export const LINE_BYTES_MAX = EVENT_BYTES_MAX + 8192;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const GZIP_MAGIC = [0x1f, 0x8b];
/**
 * Deflate packs at most about a thousand times, so a piece of this size unfolds to 16 MiB at the very most.
 */
const GZIP_PIECE_BYTES = 16_384;

/**
 * Passes bytes on, unpacked where they begin as gzip does. Throws an Error of one line where gzip is damaged.
 */
export async function* unpack(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < GZIP_MAGIC.length) {
    const step = await chunks.next();
    if (step.done === true) break;
    head = Buffer.concat([head, step.value]);
  }
  async function* rest(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    for (let step = await chunks.next(); step.done !== true; step = await chunks.next()) yield step.value;
  }
  if (GZIP_MAGIC.every((byte, i) => head[i] === byte)) yield* gunzip(rest());
  else yield* rest();
}

/**
 * Unpacks gzip piece by piece. Each piece is taken whole before the next one goes in, so that everything
 * before a place of damage has been passed on when the error comes.
 */
async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip();
  const unpacked: Buffer[] = [];
  const broken = new Promise<never>((_, reject) => stream.once('error', reject));
  // Whoever waits for it below hears of it; it must not count as unheard while nobody waits.
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
    // What could not be read at all is not the fault of what was packed.
    if (!code.startsWith('Z_')) throw error;
    const cut = code === 'Z_BUF_ERROR';
    throw failure(
      cut ? 'the gzip data ends too early: the file is cut' : `the gzip data is damaged: ${messageOf(error)}`,
    );
  } finally {
    stream.destroy();
  }
}

/** The head of a table: names between commas, semicolons or tabs. */
const CSV_HEAD = /^("[\w. -]+"|[\w. -]+)([,;\t]("[\w. -]*"|[\w. -]*))+$/;

/**
 * Passes lines on. Throws an Error that names the right form where the first of them begins a JSON array or a
 * table: each of its lines would be told as a bad one.
 */
export async function* refuseOtherForms(lines: AsyncIterable<FileLine>): AsyncGenerator<FileLine> {
  let isFirst = true;
  for await (const line of lines) {
    if (isFirst && 'text' in line) checkForm(line.text.trim());
    isFirst = false;
    yield line;
  }
}

function checkForm(text: string): void {
  const wanted = 'import takes NDJSON, an event a line';
  if (text.startsWith('[')) throw misuse(`this is a JSON array; ${wanted}: jq -c '.[]' FILE makes it`);
  if (CSV_HEAD.test(text)) throw misuse(`this looks like CSV; ${wanted}: {"eventName": …, "userId": …}`);
}

/**
 * Splits bytes into lines, without their line ends (LF or CRLF) and without a byte order mark before the
 * first. At most one line is held; what is beyond the longest line is dropped as it comes.
 */
export async function* toLines(source: AsyncIterable<Buffer>): AsyncGenerator<FileLine> {
  let number = 1;
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= LINE_BYTES_MAX) parts.push(part);
    else parts = [];
  };
  const take = (): FileLine => {
    const line = toLine(number, bytes, parts);
    number += 1;
    parts = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}

function toLine(number: number, bytes: number, parts: readonly Buffer[]): FileLine {
  if (bytes > LINE_BYTES_MAX)
    return { number, bytes, problem: `takes at most ${LINE_BYTES_MAX} bytes, got ${bytes}` };
  const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  if (!isUtf8(whole)) return { number, bytes, problem: 'is not UTF-8' };
  const end = whole.at(-1) === CARRIAGE_RETURN ? whole.length - 1 : whole.length;
  const text = whole.toString('utf8', 0, end);
  return { number, bytes, text: number === 1 ? text.replace(/^\ufeff/, '') : text };
}
