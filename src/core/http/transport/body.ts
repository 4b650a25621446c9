import { ApiError } from '../../base/errors.ts';
import { quote } from '../../event/text.ts';
import type { HttpRequest } from '../message.ts';

/** The limits of one body in a transport. */
export interface BodyBounds {
  /** How many bytes the body may have, both on the wire and decompressed. */
  readonly bytesMax: number;
  /** How many bytes one byte of gzip may decompress to on average, beyond the first 256 KiB. */
  readonly unpackRatioMax: number;
  /** Reserves memory before it is used; false when it does not fit. */
  readonly book: (bytes: number) => boolean;
  /** Makes the error for a body whose memory cannot be reserved. */
  readonly refusal: () => ApiError;
}

/** How many bytes one byte of gzip may decompress to by default. */
export const UNPACK_RATIO_MAX = 100;

/** How many decompressed bytes the ratio does not limit: small bodies may be repetitive. */
const UNPACKED_FREELY_BYTES = 262_144;

/**
 * How many bytes of a body need no reservation: each permit already accounts for them, and most bodies are
 * smaller.
 */
const OWN_BYTES = 16_384;

/** The same bounds, but the first 16 KiB of the body need no reservation. */
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
 * Checks a body by the headers of its request, before any of it is read, and tells whether it is gzipped.
 * Throws ApiError: 413, 415.
 */
export function judgeHead(request: Pick<HttpRequest, 'header'>, bytesMax: number): { gzipped: boolean } {
  const gzipped = isGzipped(request.header('content-encoding'));
  if (Number(request.header('content-length') ?? 0) > bytesMax)
    throw new ApiError('bodyTooLarge', [bytesMax]);
  return { gzipped };
}

/**
 * Whether the parts of a body begin as gzip does. No text in UTF-8 begins so, and web SDKs that may not send
 * a header of their own leave out `Content-Encoding`.
 */
export function beginsAsGzip(parts: readonly Uint8Array[]): boolean {
  const [first, second] = parts;
  const byte = first?.length === 1 ? second?.[0] : first?.[1];
  return first?.[0] === 0x1f && byte === 0x8b;
}

/**
 * Whether the parts of a body begin as an array or object of JSON, perhaps behind a byte order mark or
 * blanks. No gzip begins so: a proxy has unpacked the body and left the header.
 */
export function beginsAsJson(parts: readonly Uint8Array[]): boolean {
  const first = parts.find(({ length }) => length > 0)?.find((byte) => !NOTHING_OF_JSON.includes(byte));
  return first === 0x5b || first === 0x7b;
}

/** Blanks, and the bytes of a byte order mark. */
const NOTHING_OF_JSON = [0x20, 0x0a, 0x0d, 0x09, 0xef, 0xbb, 0xbf];

function isGzipped(encoding: string | undefined): boolean {
  if (encoding === undefined) return false;
  const name = encoding.trim().toLowerCase();
  if (name === '' || name === 'identity') return false;
  if (name === 'gzip' || name === 'x-gzip') return true;
  throw new ApiError('unsupportedMediaType', ['Content-Encoding', 'gzip or identity', quote(encoding)]);
}

/** The parts of a body, raw or decompressed, as they arrive. */
export interface BodyParts<P extends Uint8Array> {
  /** The parts that were taken. */
  readonly parts: P[];
  /** The size of these parts in bytes. */
  readonly bytes: number;
  /** Takes one more part. Gives the error of the refusal where the body becomes too large. */
  take(part: P): ApiError | undefined;
}

/**
 * Makes a collector of the parts of a body. `packedBytes` is the size of its gzip where the parts are
 * decompressed.
 */
export function createBodyParts<P extends Uint8Array>(
  { bytesMax, unpackRatioMax, book, refusal }: BodyBounds,
  packedBytes?: number,
): BodyParts<P> {
  const unpackedMax =
    packedBytes === undefined ? Infinity : UNPACKED_FREELY_BYTES + packedBytes * unpackRatioMax;
  // No getters here: each request makes such an object, a getter would give each its own hidden class, and
  // V8 keeps hidden classes, with all that their getters reference, until a full garbage collection.
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
  // After the last member of the gzip stream.
  rest: 'something follows the end of its gzip',
  end: 'the connection ended before it was complete',
} as const;

/** The error for a body that cannot be read, by its cause. */
export function unreadableBody(what: keyof typeof UNREADABLE): ApiError {
  return unreadable(UNREADABLE[what]);
}

function unreadable(why: string): ApiError {
  return new ApiError('unreadableBody', [why]);
}

/** The error for a request whose body a framework has already read, so that it would never arrive. */
export function bodyIsTaken(): ApiError {
  const cause = new Error('something else has read this body: mount event-query before body parsers');
  return new ApiError('internal', [], { cause });
}
