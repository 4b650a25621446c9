import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { ApiError, quote } from '../../../src/index.ts';
import type { Exchange } from './exchange.ts';
import { cutShort, tooLarge, unreadable } from './refusals.ts';

/** What the reading of a body needs of the server. */
export interface BodyTools {
  readonly bytesMax: number;
  /** How many bytes a byte of gzip may unpack to, on average. */
  readonly unpackRatioMax: number;
  /** Books memory before it is held; false when it does not fit. */
  readonly book: (bytes: number) => boolean;
  /** Gives memory back. */
  readonly release: (bytes: number) => void;
  /** Called when not all is here; false when there is no place to wait for it. */
  readonly wait: () => boolean;
  /** Called with each part of the body. */
  readonly note: (bytes: number) => void;
  /** Called when there is nothing to wait for any more; false when the request cannot be worked on now. */
  readonly resume: () => boolean;
  /** The refusal where memory or a place is not to be had. */
  readonly refusal: () => ApiError;
}

/** How much of a body nobody books: so much is stated for each place, and most bodies are smaller. */
const OWN_BYTES = 16_384;

/**
 * Reads the body of a request as the contract `HttpRequest.text` says; 503 when the server holds too much.
 */
export async function readText(exchange: Exchange, given: BodyTools): Promise<string> {
  let free = OWN_BYTES;
  const book = (bytes: number) => {
    const own = Math.min(free, bytes);
    free -= own;
    return own === bytes || given.book(bytes - own);
  };
  const tools: BodyTools = { ...given, book };
  const gzipped = isGzipped(exchange.header('content-encoding'));
  if (Number(exchange.header('content-length') ?? 0) > tools.bytesMax) throw tooLarge(tools.bytesMax);
  const wire = await collect(exchange, tools);
  if (!gzipped) return decode(wire, tools);
  const unpacked = await gunzip(wire, tools);
  tools.release(wire.length);
  return decode(unpacked, tools);
}

function isGzipped(encoding: string | undefined): boolean {
  if (encoding === undefined) return false;
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return false;
  if (name === 'gzip' || name === 'x-gzip') return true;
  throw new ApiError('unsupportedMediaType', ['Content-Encoding', 'gzip or identity', quote(encoding)]);
}

/** The text of bytes that are booked; it takes their place when they are let go. */
function decode(bytes: Buffer, { book, release, refusal }: BodyTools): string {
  if (!isUtf8(bytes)) throw unreadable('it is not UTF-8');
  if (!book(bytes.length)) throw refusal();
  const text = bytes.toString('utf8');
  release(bytes.length);
  return text;
}

/** Collects the body as it comes on the wire. */
function collect(exchange: Exchange, tools: BodyTools): Promise<Buffer> {
  const { req } = exchange;
  if (exchange.failure !== undefined) throw exchange.failure;
  // The client went while the handler did other things, which no event will tell again.
  if (req.destroyed) throw cutShort();
  if (!req.complete) startWaiting(exchange, tools);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = () => {
      exchange.fail = undefined;
      return exchange.phase !== 'reading' || tools.resume();
    };
    const fail = (error: ApiError) => {
      if (exchange.fail === undefined) return;
      stop();
      chunks.length = 0;
      reject(error);
    };
    exchange.fail = fail;
    req.on('data', (chunk: Buffer) => {
      // After a failure the rest is let through unseen until the answer is out.
      if (exchange.fail === undefined) return;
      bytes += chunk.length;
      tools.note(chunk.length);
      if (bytes > tools.bytesMax) fail(tooLarge(tools.bytesMax));
      else if (!tools.book(chunk.length)) fail(tools.refusal());
      else chunks.push(chunk);
    });
    req.on('end', () => {
      if (exchange.fail === undefined) return;
      if (stop()) resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes));
      else reject(tools.refusal());
    });
    req.on('error', () => fail(cutShort()));
  });
}

function startWaiting(exchange: Exchange, { wait, refusal }: BodyTools): void {
  if (!wait()) throw refusal();
  if (!exchange.awaitsContinue) return;
  exchange.awaitsContinue = false;
  exchange.res.writeContinue();
}

/** Large enough that a batch takes few steps, small enough that a bomb is noticed soon. */
const GUNZIP_CHUNK_BYTES = 65_536;
/** So many bytes may unpack from however few: small bodies may repeat themselves. */
const UNPACKED_FREELY_BYTES = 262_144;

/** Decompresses, and stops as soon as the result is too large for its limit or for what it came from. */
function gunzip(wire: Buffer, { bytesMax, unpackRatioMax, book, refusal }: BodyTools): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stream = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES });
    const fail = (error: ApiError) => {
      stream.destroy();
      reject(error);
    };
    const bytesFor = (wireBytes: number) => UNPACKED_FREELY_BYTES + wireBytes * unpackRatioMax;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) fail(tooLarge(bytesMax));
      else if (bytes > bytesFor(wire.length))
        fail(unreadable(`its gzip unpacks to more than ${unpackRatioMax} times its size`));
      else if (!book(chunk.length)) fail(refusal());
      else chunks.push(chunk);
    });
    stream.on('error', () => fail(unreadable('it is not valid gzip')));
    stream.on('end', () => {
      // zlib leaves zeros behind the last member unread and says nothing.
      if (stream.bytesWritten === wire.length) resolve(Buffer.concat(chunks, bytes));
      else fail(unreadable('something follows the end of its gzip'));
    });
    stream.end(wire);
  });
}
