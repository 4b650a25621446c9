import type { Readable } from 'node:stream';
import type { Entry, ZipFile } from 'yauzl';
import { damage, messageOf } from '../base/errors.ts';

/** A file in a zip. */
export interface ZipMember {
  readonly name: string;
  /** Its unpacked size in bytes, as the zip says. */
  readonly size: number;
  /** Reads it; it can be read again. */
  readonly read: () => AsyncIterable<Buffer>;
}

/** A zip whose members can be read in any order. */
export interface ZipReader {
  /** Its files that hold something, in the order of their names. */
  readonly members: readonly ZipMember[];
  readonly close: () => void;
}

/** How many files a zip may have: an export of many years has one for each hour. */
const MEMBERS_MAX = 100_000;
const NONE = Buffer.alloc(0);

/** Opens a zip, also one of more than 4 GiB. Throws an Error of one line when it is damaged or cut. */
export async function openZip(path: string): Promise<ZipReader> {
  const { openPromise } = await import('yauzl');
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
    throw damage(`the zip is cut or damaged: ${messageOf(error)}`);
  });
  const entries = await new Promise<Entry[]>((resolve, reject) => {
    const found: Entry[] = [];
    zip.on('entry', (entry: Entry) => {
      if (entry.uncompressedSize > 0) found.push(withoutBytes(entry));
      if (found.length > MEMBERS_MAX)
        reject(damage(`the zip has more than ${MEMBERS_MAX} files: unpack it, and import its files`));
      else zip.readEntry();
    });
    zip.once('end', () => resolve(found));
    zip.once('error', (error) => reject(damage(`the zip is damaged: ${messageOf(error)}`)));
    zip.readEntry();
  }).catch((error: unknown) => {
    zip.close();
    throw error;
  });
  const members = entries
    .map((entry) => ({
      name: entry.fileName,
      size: entry.uncompressedSize,
      read: () => bytesOf(zip, entry),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { members, close: () => zip.close() };
}

async function* bytesOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    const stream: Readable = await zip.openReadStreamPromise(entry);
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw damage(`${entry.fileName} in the zip is damaged: ${messageOf(error)}`);
  }
}

/** The entry without the bytes that it was read from: a zip may have very many. */
function withoutBytes(entry: Entry): Entry {
  const none = { fileNameRaw: NONE, extraFieldRaw: NONE, fileCommentRaw: NONE, extraFields: [] };
  return Object.assign(entry, none, { fileComment: '' });
}
