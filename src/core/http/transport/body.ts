import { ApiError } from '../../base/errors.ts';
import { quote } from '../../event/text.ts';
import type { HttpRequest } from '../message.ts';

/** What a transport may hold of one body. */
export interface BodyBounds {
  /** How many bytes the body may have, on the wire and unpacked. */
  readonly bytesMax: number;
  /** How many bytes a byte of gzip may unpack to, on average, beyond the first 256 KiB. */
  readonly unpackRatioMax: number;
  /** Books memory before it is held; false when it does not fit. */
  readonly book: (bytes: number) => boolean;
  /** The refusal where memory is not to be had. */
  readonly refusal: () => ApiError;
}

/** How many bytes a byte of gzip may unpack to where a transport is told nothing else. */
export const UNPACK_RATIO_MAX = 100;

/** So many bytes may unpack from however few: small bodies may repeat themselves. */
const UNPACKED_FREELY_BYTES = 262_144;

/** How much of a body nobody books: so much is stated for each place, and most bodies are smaller. */
const OWN_BYTES = 16_384;

/** The same bounds, where the first bytes of the body are nobody's. */
export function withOwnBytes<B extends BodyBounds>(bounds: B): B {
  let free = OWN_BYTES;
  const book = (bytes: number) => {
    const own = Math.min(free, bytes);
    free -= own;
    return own === bytes || bounds.book(bytes - own);
  };
  return { ...bounds, book };
}

/**
 * Judges a body by the head of its request, before any of it is read. Whether it comes in gzip. Throws
 * ApiError: 413, 415.
 */
export function judgeHead(request: Pick<HttpRequest, 'header'>, bytesMax: number): { gzipped: boolean } {
  const gzipped = isGzipped(request.header('content-encoding'));
  if (Number(request.header('content-length') ?? 0) > bytesMax)
    throw new ApiError('bodyTooLarge', [bytesMax]);
  return { gzipped };
}

function isGzipped(encoding: string | undefined): boolean {
  if (encoding === undefined) return false;
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return false;
  if (name === 'gzip' || name === 'x-gzip') return true;
  throw new ApiError('unsupportedMediaType', ['Content-Encoding', 'gzip or identity', quote(encoding)]);
}

/** The parts of a body, or of what it unpacks to, as they come. */
export interface BodyParts<P extends Uint8Array> {
  /** What was taken. */
  readonly parts: P[];
  /** How many bytes that is. */
  readonly bytes: number;
  /** Takes one more part; why the body is refused, where it is too much. */
  take(part: P): ApiError | undefined;
}

/**
 * Begins to collect the parts of a body. `packedBytes` says that they are unpacked from so many bytes of
 * gzip.
 */
export function createBodyParts<P extends Uint8Array>(
  { bytesMax, unpackRatioMax, book, refusal }: BodyBounds,
  packedBytes?: number,
): BodyParts<P> {
  const unpackedMax =
    packedBytes === undefined ? Infinity : UNPACKED_FREELY_BYTES + packedBytes * unpackRatioMax;
  // One for each request: a getter would give each object a shape of its own, and V8 keeps shapes, with
  // all that their getters see, until it collects everything.
  const body = {
    parts: [] as P[],
    bytes: 0,
    take(part: P): ApiError | undefined {
      body.bytes += part.length;
      if (body.bytes > bytesMax) return new ApiError('bodyTooLarge', [bytesMax]);
      if (body.bytes > unpackedMax)
        return unreadable(`its gzip unpacks to more than ${unpackRatioMax} times its size`);
      if (!book(part.length)) return refusal();
      body.parts.push(part);
      return undefined;
    },
  };
  return body;
}

const UNREADABLE = {
  text: 'it is not UTF-8',
  gzip: 'it is not valid gzip',
  // Behind the last member of gzip.
  rest: 'something follows the end of its gzip',
  end: 'the connection ended before it was complete',
} as const;

/** The refusal of a body by what is wrong with it. */
export function unreadableBody(what: keyof typeof UNREADABLE): ApiError {
  return unreadable(UNREADABLE[what]);
}

function unreadable(why: string): ApiError {
  return new ApiError('unreadableBody', [why]);
}

/** The refusal of a request whose body a framework has read already, so that it would never come. */
export function bodyIsTaken(): ApiError {
  const cause = new Error('something else has read this body: mount event-query before body parsers');
  return new ApiError('internal', [], { cause });
}
