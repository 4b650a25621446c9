import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import type { ApiError } from '../../../src/index.ts';
import {
  beginsAsGzip,
  beginsAsJson,
  bodyIsTaken,
  createBodyParts,
  judgeHead,
  unreadableBody,
  withOwnBytes,
  type BodyBounds,
  type BodyParts,
} from '../../../src/transport-kit.ts';
import { failReading, letBodyCome, noteBytesIn, startReading, takeBody } from '../state/exchange.ts';
import type { Exchange } from '../state/states.ts';

/** What reading a body needs from the server. */
export interface BodyTools extends BodyBounds {
  /** Releases reserved memory. */
  readonly release: (bytes: number) => void;
  /** Called when a part of the body is missing; false when too many requests already wait for theirs. */
  readonly wait: () => boolean;
  /** Called with the size of each part of the body. */
  readonly note: (bytes: number) => void;
  /** Called when the wait has ended; false when the concurrency limit has no room for the request. */
  readonly resume: () => boolean;
  /** Runs work in a scheduler turn of the body's owner. */
  readonly inTurn: (work: () => string) => Promise<string>;
}

/** A body in the parts in which it arrived. */
type Wire = BodyParts<Buffer>;

/** A larger body waits for a turn before it is decoded: many of them at once would block all requests. */
const AT_ONCE_BYTES_MAX = 65_536;

/**
 * Reads the body of a request as the contract `HttpRequest.text` says. Rejects with 503 when the memory
 * budget or a concurrency limit is exhausted.
 */
export async function readText(exchange: Exchange, given: BodyTools): Promise<string> {
  const tools = withOwnBytes(given);
  const head = judgeHead(exchange, tools.bytesMax);
  const wire: Wire = createBodyParts(tools);
  try {
    await collect(exchange, wire, tools);
  } finally {
    noteBytesIn(exchange, wire.bytes);
  }
  const gzipped = beginsAsGzip(wire.parts) || (head.gzipped && !beginsAsJson(wire.parts));
  const body = gzipped ? await gunzip(joined(wire), tools) : wire;
  if (gzipped) tools.release(wire.bytes);
  if (body.bytes <= AT_ONCE_BYTES_MAX) return decode(body, tools);
  return tools.inTurn(() => decode(body, tools));
}

/** Decodes a body whose memory is reserved. The text's reservation replaces that of the bytes. */
function decode(body: Wire, { book, release, refusal }: BodyTools): string {
  const bytes = joined(body);
  body.parts.length = 0;
  if (!isUtf8(bytes)) throw unreadableBody('text');
  if (!book(bytes.length)) throw refusal();
  const text = bytes.toString('utf8');
  release(bytes.length);
  return text;
}

/** Collects the body. One that has arrived completely, as after a wait for a turn, is taken synchronously. */
function collect(exchange: Exchange, wire: Wire, tools: BodyTools): void | Promise<void> {
  const { req } = exchange;
  if (typeof exchange.body === 'object') throw exchange.body;
  // These requests will emit no further event: a body parser came first, or the client has disconnected.
  if (req.readableDidRead) throw bodyIsTaken();
  if (req.destroyed) throw unreadableBody('end');
  if (!isAllHere(exchange)) return collectAsItComes(exchange, wire, tools);
  takeBody(exchange);
  // Up to Node 25, the first `read` returns all buffered bytes; from 26 on, each returns one piece.
  for (let chunk; (chunk = req.read() as Buffer | null) !== null;) {
    const refusal = wire.take(chunk);
    if (refusal !== undefined) throw refusal;
  }
  // Other listeners may wait for `end`, which Node emits only while the request is being read.
  if (!req.complete) req.resume();
}

/**
 * Whether the whole body has arrived. Node sets `complete` only after the listeners of the last part have
 * run. Without the check of the length, a request that runs at once would wait for an end that is already
 * here.
 */
function isAllHere(exchange: Exchange): boolean {
  const { req } = exchange;
  if (req.complete) return true;
  // A lenient parser accepts both headers, and then the length means nothing.
  if (exchange.header('transfer-encoding') !== undefined) return false;
  const length = exchange.header('content-length');
  return length !== undefined && req.readableLength > 0 && Number(length) === req.readableLength;
}

/** Waits for the parts of a body that have not arrived yet. */
function collectAsItComes(exchange: Exchange, wire: Wire, tools: BodyTools): Promise<void> {
  const { req } = exchange;
  if (!tools.wait()) throw tools.refusal();
  if (letBodyCome(exchange)) exchange.res.writeContinue();
  return new Promise((resolve, reject) => {
    const isWaiting = () => exchange.phase.at === 'reading';
    const fail = (error: ApiError) => {
      tools.resume();
      wire.parts.length = 0;
      reject(error);
    };
    startReading(exchange, fail);
    req.on('data', (chunk: Buffer) => {
      // After a failure, the rest is discarded until the answer is sent.
      if (!isWaiting()) return;
      tools.note(chunk.length);
      const refusal = wire.take(chunk);
      if (refusal !== undefined) fail(refusal);
    });
    req.on('end', () => {
      if (!isWaiting()) return;
      if (tools.resume()) resolve();
      else reject(tools.refusal());
    });
    req.on('error', () => failReading(exchange, unreadableBody('end')));
  });
}

/** Large enough that a batch takes few steps, small enough that a gzip bomb is detected early. */
const GUNZIP_CHUNK_BYTES = 65_536;

/**
 * Decompresses. Rejects as soon as the text exceeds its limit or its allowed ratio to the compressed bytes.
 */
function gunzip(wire: Buffer, tools: BodyTools): Promise<BodyParts<Buffer>> {
  return new Promise((resolve, reject) => {
    const unpacked = createBodyParts<Buffer>(tools, wire.length);
    const stream = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES });
    const fail = (error: ApiError) => {
      stream.destroy();
      reject(error);
    };
    stream.on('data', (chunk: Buffer) => {
      const refusal = unpacked.take(chunk);
      if (refusal !== undefined) fail(refusal);
    });
    stream.on('error', () => fail(unreadableBody('gzip')));
    stream.on('end', () => {
      // zlib silently leaves zeros after the last member unread.
      if (stream.bytesWritten === wire.length) resolve(unpacked);
      else fail(unreadableBody('rest'));
    });
    stream.end(wire);
  });
}

function joined({ parts, bytes }: BodyParts<Buffer>): Buffer {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts, bytes);
}
