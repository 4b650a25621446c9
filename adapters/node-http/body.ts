import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { ApiError, overloaded, quote } from '../../src/index.ts';
import type { Exchange } from './exchange.ts';
import type { Load } from './load.ts';
import type { Turns } from './turns.ts';

/** How a body is read. */
export interface Reading {
  readonly load: Load;
  readonly turns: Turns;
  readonly bytesMax: number;
}

/**
 * Reads the body of a request as the contract `HttpRequest.text` says; `overloaded` when the server holds
 * too much.
 */
export function readText(exchange: Exchange, { load, turns, bytesMax }: Reading): Promise<string> {
  return new Promise((resolve, reject) => {
    const gzipped = isGzipped(exchange.header('content-encoding'));
    if (Number(exchange.header('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax);
    // What a text is read for is the larger part of the work.
    const decode = (bytes: Buffer) =>
      turns.take(() => {
        if (isUtf8(bytes)) resolve(bytes.toString('utf8'));
        else reject(unreadable('it is not UTF-8'));
      });
    const decompress = (wire: Buffer) => gunzip(wire, exchange, load, bytesMax).then(decode, reject);
    collect(exchange, load, bytesMax, gzipped ? decompress : decode, reject);
  });
}

function isGzipped(encoding: string | undefined): boolean {
  if (encoding === undefined) return false;
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return false;
  if (name === 'gzip' || name === 'x-gzip') return true;
  throw new ApiError('unsupportedMediaType', ['Content-Encoding', 'gzip or identity', quote(encoding)]);
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('bodyTooLarge', [bytesMax]);
}

function unreadable(why: string): ApiError {
  return new ApiError('unreadableBody', [why]);
}

function cutShort(): ApiError {
  return unreadable('the connection ended before it was complete');
}

/** Collects the body as it comes on the wire, and calls one of the two functions once. */
function collect(
  exchange: Exchange,
  load: Load,
  bytesMax: number,
  done: (wire: Buffer) => void,
  refuse: (error: ApiError) => void,
): void {
  const { req } = exchange;
  if (exchange.failure !== undefined) {
    refuse(exchange.failure);
    return;
  }
  if (req.destroyed) {
    // The client went while the handler did other things, which no event will tell again.
    refuse(cutShort());
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const fail = (error: ApiError) => {
    if (exchange.fail === undefined) return;
    stopReading(exchange, load);
    chunks.length = 0;
    refuse(error);
  };
  startReading(exchange, fail);
  req.on('data', (chunk: Buffer) => {
    // After a failure the rest is let through unseen until the answer is out.
    if (exchange.fail === undefined) return;
    bytes += chunk.length;
    if (bytes > bytesMax) fail(tooLarge(bytesMax));
    else if (!load.hold(exchange, chunk.length)) fail(overloaded());
    else chunks.push(chunk);
  });
  req.on('end', () => {
    if (exchange.fail === undefined) return;
    stopReading(exchange, load);
    done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes));
  });
  req.on('error', () => fail(cutShort()));
}

function startReading(exchange: Exchange, fail: (error: ApiError) => void): void {
  if (exchange.awaitsContinue) {
    exchange.awaitsContinue = false;
    exchange.res.writeContinue();
  }
  exchange.phase = 'reading';
  exchange.fail = fail;
}

/** From here on the handler works, and its time counts. */
function stopReading(exchange: Exchange, load: Load): void {
  exchange.fail = undefined;
  if (exchange.phase !== 'reading') return;
  exchange.phase = 'running';
  exchange.sinceTick = load.ticks;
}

/** Large enough that a batch takes few steps, small enough that a bomb is noticed soon. */
const GUNZIP_CHUNK_BYTES = 65_536;

/** Decompresses, and stops as soon as the result is too large. */
function gunzip(wire: Buffer, exchange: Exchange, load: Load, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stream = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES });
    const fail = (error: ApiError) => {
      stream.destroy();
      reject(error);
    };
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) fail(tooLarge(bytesMax));
      else if (!load.hold(exchange, chunk.length)) fail(overloaded());
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
