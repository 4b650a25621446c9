import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import type { ApiError } from '../../../src/index.ts';
import {
  bodyIsTaken,
  createBodyParts,
  judgeHead,
  unreadableBody,
  withOwnBytes,
  type BodyBounds,
  type BodyParts,
} from '../../../src/transport-kit.ts';
import { failReading, letBodyCome, startReading, takeBody } from '../state/exchange.ts';
import type { Exchange } from '../state/states.ts';

/** What the reading of a body needs of the server. */
export interface BodyTools extends BodyBounds {
  /** Gives memory back. */
  readonly release: (bytes: number) => void;
  /** Called when not all is here; false when there is no place to wait for it. */
  readonly wait: () => boolean;
  /** Called with each part of the body. */
  readonly note: (bytes: number) => void;
  /** Called when there is nothing to wait for any more; false when the request cannot be worked on now. */
  readonly resume: () => boolean;
  /** Does some work in a turn of whom the body is for. */
  readonly inTurn: (work: () => string) => Promise<string>;
}

/** A body as it came, in its parts. */
type Wire = BodyParts<Buffer>;

/** What is larger than this waits for a turn to become a text: many that came at once would hold up all. */
const AT_ONCE_BYTES_MAX = 65_536;

/**
 * Reads the body of a request as the contract `HttpRequest.text` says; 503 when the server holds too much.
 */
export async function readText(exchange: Exchange, given: BodyTools): Promise<string> {
  const tools = withOwnBytes(given);
  const { gzipped } = judgeHead(exchange, tools.bytesMax);
  const wire = await collect(exchange, tools);
  const body = gzipped ? await gunzip(joined(wire), tools) : wire;
  if (gzipped) tools.release(wire.bytes);
  if (body.bytes <= AT_ONCE_BYTES_MAX) return decode(body, tools);
  return tools.inTurn(() => decode(body, tools));
}

/** The text of a body that is booked; it takes its place when that is let go. */
function decode(body: Wire, { book, release, refusal }: BodyTools): string {
  const bytes = joined(body);
  body.parts.length = 0;
  if (!isUtf8(bytes)) throw unreadableBody('text');
  if (!book(bytes.length)) throw refusal();
  const text = bytes.toString('utf8');
  release(bytes.length);
  return text;
}

/** Collects the body: one that is all here, as behind a wait for a turn, is taken at once. */
function collect(exchange: Exchange, tools: BodyTools): Wire | Promise<Wire> {
  const { req } = exchange;
  if (typeof exchange.body === 'object') throw exchange.body;
  // Of what is over no event will tell again: a body parser came first, or the client has gone.
  if (req.readableDidRead) throw bodyIsTaken();
  if (req.destroyed) throw unreadableBody('end');
  const wire: Wire = createBodyParts(tools);
  if (!isAllHere(exchange)) return collectAsItComes(exchange, wire, tools);
  takeBody(exchange);
  // All that Node holds of it: in one up to Node 25, piece by piece from 26 on.
  for (let chunk; (chunk = req.read() as Buffer | null) !== null;) {
    const refusal = wire.take(chunk);
    if (refusal !== undefined) throw refusal;
  }
  // Others may share this request and wait for its end, which nobody but a reader is told.
  if (!req.complete) req.resume();
  return wire;
}

/**
 * Whether all of a body has come. Node says so only after it has let everybody run who waits for its last
 * part: without a look at the length, whoever is not kept waiting for a turn would wait for the end.
 */
function isAllHere(exchange: Exchange): boolean {
  const { req } = exchange;
  if (req.complete) return true;
  // A parser that is told to be lenient lets both through, and the length means nothing then.
  if (exchange.header('transfer-encoding') !== undefined) return false;
  const length = exchange.header('content-length');
  return length !== undefined && req.readableLength > 0 && Number(length) === req.readableLength;
}

/** Waits for the parts of a body that are still on the wire. */
function collectAsItComes(exchange: Exchange, wire: Wire, tools: BodyTools): Promise<Wire> {
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
      // After a failure the rest is let through unseen until the answer is out.
      if (!isWaiting()) return;
      tools.note(chunk.length);
      const refusal = wire.take(chunk);
      if (refusal !== undefined) fail(refusal);
    });
    req.on('end', () => {
      if (!isWaiting()) return;
      if (tools.resume()) resolve(wire);
      else reject(tools.refusal());
    });
    req.on('error', () => failReading(exchange, unreadableBody('end')));
  });
}

/** Large enough that a batch takes few steps, small enough that a bomb is noticed soon. */
const GUNZIP_CHUNK_BYTES = 65_536;

/** Decompresses, and stops as soon as the result is too large for its limit or for what it came from. */
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
      // zlib leaves zeros behind the last member unread and says nothing.
      if (stream.bytesWritten === wire.length) resolve(unpacked);
      else fail(unreadableBody('rest'));
    });
    stream.end(wire);
  });
}

function joined({ parts, bytes }: BodyParts<Buffer>): Buffer {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts, bytes);
}
