import { crc32, createInflateRaw } from 'node:zlib';
import { damage, messageOf } from '../base/errors.ts';
import { peek } from './head.ts';

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

/** Where the reader of gzip is: between two members, or in one of their three parts. */
type Part = 'between' | 'header' | 'data' | 'trailer';

/**
 * Unpacks the members of gzip one by one. It yields all output of a chunk before it reads the next one, so
 * that everything before a damaged place has been yielded when the error is thrown. Zero bytes between and
 * behind members pad them, as tapes and devices do, and say nothing.
 */
async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let part: Part = 'between';
  let data: Deflated | undefined;
  let members = 0;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of piecesOf(source)) {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      for (let goesOn = true; goesOn;) {
        goesOn = false;
        if (part === 'between') {
          const begin = rest.findIndex((byte) => byte !== 0);
          rest = rest.subarray(begin === -1 ? rest.length : begin);
          if (begin !== -1) part = 'header';
        }
        if (part === 'header') {
          const length = headerLength(rest, members);
          if (length === undefined) break;
          rest = rest.subarray(length);
          data = openDeflated();
          part = 'data';
        }
        if (part === 'data' && data !== undefined && rest.length > 0) {
          const taken: number = await data.write(rest);
          yield* data.take();
          rest = rest.subarray(taken);
          if (data.hasEnded()) part = 'trailer';
        }
        if (part === 'trailer' && data !== undefined && rest.length >= TRAILER_BYTES) {
          data.check(rest);
          data.close();
          rest = rest.subarray(TRAILER_BYTES);
          members += 1;
          part = 'between';
          goesOn = rest.length > 0;
        }
      }
    }
    if (part !== 'between') throw damage('the gzip data ends too early: the file is cut');
  } catch (error) {
    yield* data?.take() ?? [];
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    // An error of reading the file is not an error of the gzip data.
    throw code.startsWith('Z_') ? damaged(messageOf(error)) : error;
  } finally {
    data?.close();
  }
}

const damaged = (how: string) => damage(`the gzip data is damaged: ${how}`);

async function* piecesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    for (let i = 0; i < chunk.length; i += GZIP_PIECE_BYTES) yield chunk.subarray(i, i + GZIP_PIECE_BYTES);
  }
}

const TRAILER_BYTES = 8;
/** Names and comments have no limit of their own. */
const HEADER_MAX = 262_144;
const [EXTRA, NAME, COMMENT, CHECKSUM] = [4, 8, 16, 2];

/** How long the header of a member is (RFC 1952); undefined while it is not whole. */
function headerLength(bytes: Buffer, members: number): number | undefined {
  if (GZIP_MAGIC.some((byte, i) => i < bytes.length && bytes[i] !== byte))
    throw damaged(members === 0 ? 'incorrect header' : 'something that is not gzip follows it');
  if (bytes.length > HEADER_MAX) throw damaged('its header has no end');
  if (bytes.length < 10) return undefined;
  const flags = bytes[3]!;
  let length = 10;
  if ((flags & EXTRA) !== 0) {
    if (bytes.length < length + 2) return undefined;
    length += 2 + bytes.readUInt16LE(length);
  }
  for (const flag of [NAME, COMMENT]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, length);
    if (end === -1) return undefined;
    length = end + 1;
  }
  if ((flags & CHECKSUM) !== 0) length += 2;
  return bytes.length < length ? undefined : length;
}

/** The compressed data of a member. */
interface Deflated {
  /** Unpacks bytes, and resolves to how many of them belong to this data. */
  write(bytes: Buffer): Promise<number>;
  /** What was unpacked since the last call. */
  take(): Buffer[];
  hasEnded(): boolean;
  /** Throws an Error where the trailer says that other bytes were packed. */
  check(trailer: Buffer): void;
  close(): void;
}

function openDeflated(): Deflated {
  const stream = createInflateRaw();
  let unpacked: Buffer[] = [];
  let [crc, size, hasEnded] = [0, 0, false];
  // The stream may end, or break, within a write and before its callback: one promise hears of all of it.
  let settle: () => void = () => undefined;
  const broken = new Promise<never>((_, reject) => stream.once('error', reject));
  // The race below handles this rejection; between two races it must not count as unhandled.
  broken.catch(() => undefined);
  stream.on('data', (chunk: Buffer) => {
    unpacked.push(chunk);
    crc = crc32(chunk, crc);
    size = (size + chunk.length) % 2 ** 32;
  });
  stream.once('end', () => {
    hasEnded = true;
    settle();
  });
  return {
    async write(bytes) {
      const before = stream.bytesWritten;
      const done = new Promise<void>((resolve) => {
        settle = resolve;
        stream.write(bytes, () => setImmediate(resolve));
      });
      await Promise.race([done, broken]);
      return hasEnded ? stream.bytesWritten - before : bytes.length;
    },
    take() {
      const taken = unpacked;
      unpacked = [];
      return taken;
    },
    hasEnded: () => hasEnded,
    check(trailer) {
      if (trailer.readUInt32LE(0) !== crc || trailer.readUInt32LE(4) !== size)
        throw damaged('its checksum or its length is another');
    },
    close: () => stream.destroy(),
  };
}
