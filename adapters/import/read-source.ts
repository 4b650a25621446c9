import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { inMember, misfit, noList } from './base/errors.ts';
import { isOwnHeader, toOwnEventsOfRows } from './mappings/own-csv.ts';
import { readRecords, readValues, type ImportRecords, type FormatOptions } from './read-records.ts';
import { openParquet } from './readers/parquet-rows.ts';
import { openZip, type ZipMember } from './readers/zip.ts';
import { describeTotals } from './totals.ts';
import { toUmamiRecords } from './umami-zip.ts';

/**
 * Where events come from: the path of a file, or the bytes of one. A zip and a Parquet file are read in any
 * order, so they need a path.
 */
export type ImportSource = string | URL | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Records of a source, and the name of the file within it that they come from, if it is a zip. */
export interface SourcePart extends ImportRecords {
  readonly member?: string;
  /** Whether they come in the order of the file. */
  readonly isInOrder?: boolean;
}

/** How a source is read, and who hears of it. */
export interface SourceOptions extends FormatOptions {
  /** Is told how many more bytes of the source were read. */
  readonly onBytes: (bytes: number) => void;
}

/** Reads a source; of a zip, one file after another. */
export async function* readSource(source: ImportSource, options: SourceOptions): AsyncGenerator<SourcePart> {
  const path = source instanceof URL ? fileURLToPath(source) : source;
  const file = typeof path === 'string' ? regularFileAt(path) : undefined;
  if (file?.magic === 'PAR1') yield await readParquet(file, options);
  else if (file?.magic === 'PK\u0003\u0004') yield* readZip(file, options);
  else yield* readBytes(bytesOf(path, options), options);
}

/** A regular file, which can be read in any order. */
interface RegularFile {
  readonly path: string;
  readonly size: number;
  /** Its first four bytes, as text. */
  readonly magic: string;
}

/** The file at a path; undefined for a pipe with a name. */
function regularFileAt(path: string): RegularFile | undefined {
  const stats = statSync(path);
  if (!stats.isFile()) return undefined;
  const handle = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    const magic = bytes.toString('latin1', 0, readSync(handle, bytes, 0, 4, 0));
    return { path, size: stats.size, magic };
  } finally {
    closeSync(handle);
  }
}

/** Reads bytes, and lets go of them however it ends. */
async function* readBytes(bytes: AsyncGenerator<Buffer>, options: SourceOptions): AsyncGenerator<SourcePart> {
  try {
    yield await readRecords(bytes, options);
  } finally {
    await bytes.return(undefined);
  }
}

async function* bytesOf(
  source: Exclude<ImportSource, URL>,
  { aborted, onBytes }: SourceOptions,
): AsyncGenerator<Buffer> {
  const chunks = typeof source === 'string' ? createReadStream(source) : source;
  const stop = () => {
    if (chunks instanceof Readable) chunks.destroy(aborted.reason as Error);
  };
  aborted.addEventListener('abort', stop);
  if (aborted.aborted) stop();
  try {
    yield* counted(chunks instanceof Uint8Array ? [chunks] : (chunks as AsyncIterable<Uint8Array>), onBytes);
  } finally {
    aborted.removeEventListener('abort', stop);
  }
}

async function readParquet({ path, size }: RegularFile, options: SourceOptions): Promise<SourcePart> {
  const { columns, rows } = await openParquet(path, (share) => options.onBytes(share * size));
  if (options.list !== undefined) throw noList(options.words, 'Parquet');
  const isOwn =
    isOwnHeader(columns) && options.table === undefined && (options.from ?? 'event-query') === 'event-query';
  return isOwn
    ? { unit: 'row', records: toOwnEventsOfRows(rows, columns) }
    : readValues('row', rows, options);
}

/** What a Mac adds to a zip, and lists of what is in it. */
const NO_EVENTS = /(^|\/)(__MACOSX\/|\.|manifest\.json$)/;

async function* readZip({ path, size }: RegularFile, options: SourceOptions): AsyncGenerator<SourcePart> {
  const zip = await openZip(path);
  try {
    const members = zip.members.filter(({ name }) => !NO_EVENTS.test(name));
    const totals = describeTotals(
      members.map(({ name }) => name),
      '',
    );
    if (totals !== undefined) throw misfit(totals);
    const unpacked = members.reduce((sum, member) => sum + member.size, 0);
    // Bytes are counted unpacked, and the bar is that of the file.
    const onBytes = (bytes: number) => options.onBytes((bytes / Math.max(1, unpacked)) * size);
    const named = (name: string) => members.filter((each) => each.name.split('/').at(-1) === name);
    const [tables, all] = [named('website_event.csv'), named('event_data.csv')];
    if (tables.length > 0 && options.list !== undefined) throw noList(options.words, 'a zip of Umami');
    for (const events of tables) {
      const data = tables.length === 1 ? all[0] : all.find((each) => folderOf(each) === folderOf(events));
      const read = await readValues('line', toUmamiRecords(events, data, options), {
        ...options,
        from: 'umami',
      });
      yield { member: events.name, isInOrder: false, ...read };
    }
    const used = tables.length > 1 ? [...tables, ...all] : [...tables, ...all.slice(0, 1)];
    const isUsed = tables.length > 0 ? used : members;
    for (const member of zip.members)
      if (!isUsed.includes(member)) options.leftOut.add(`file ${member.name} of the zip`);
    if (tables.length > 0) return;
    for (const { name, read } of members) {
      try {
        for await (const part of readBytes(counted(read(), onBytes), options))
          yield { member: name, ...part };
      } catch (error) {
        throw inMember(error, name);
      }
    }
  } finally {
    zip.close();
  }
}

/** Where a file of a zip is, with a slash at its end. */
const folderOf = ({ name }: ZipMember) => name.slice(0, name.lastIndexOf('/') + 1);

async function* counted(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    // A stream may yield texts, which no type refuses in JavaScript.
    if (!((chunk as unknown) instanceof Uint8Array)) throw new TypeError('a source to import yields bytes');
    onBytes(chunk.length);
    yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}
