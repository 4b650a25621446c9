import { closeSync, openSync, readSync } from 'node:fs';
import { misuse } from '../process/errors.ts';
import { withoutArrivals } from './arrivals.ts';
import type { ImportInput } from './inputs.ts';
import { isOwnHeader, toOwnEventsOfRows } from './mappings/own-csv.ts';
import { readRecords, readValues, type ImportRecords, type FormatOptions } from './read-records.ts';
import { openParquet } from './readers/parquet-rows.ts';
import { openZip, type ZipMember } from './readers/zip.ts';
import { describeTotals } from './totals.ts';
import { toUmamiRecords } from './umami-zip.ts';

/** Records of an input, and the name of the file within it that they come from, if it is a zip. */
export interface InputPart extends ImportRecords {
  readonly member?: string;
  /** Whether they come in another order than that of the file. */
  readonly unordered?: boolean;
}

/** How an input is read, and who hears of it. */
export interface InputOptions extends FormatOptions {
  /** Is told how many bytes of the input's size were read. */
  readonly onBytes: (bytes: number) => void;
}

/** Reads an input: a file or stdin, or one file of a zip after another. */
export async function* readInput(input: ImportInput, options: InputOptions): AsyncGenerator<InputPart> {
  for await (const part of readParts(input, options))
    yield { ...part, records: withoutArrivals(part.records, options.say) };
}

async function* readParts(input: ImportInput, options: InputOptions): AsyncGenerator<InputPart> {
  const { path, size } = input;
  const magic = path === undefined ? '' : magicOf(path);
  if (path !== undefined && magic === 'PAR1') {
    yield await readParquet(path, size, options);
    return;
  }
  if (path !== undefined && magic === 'PK\u0003\u0004') {
    yield* readZip(path, size, options);
    return;
  }
  const stream = input.open();
  const stop = () => stream.destroy(options.aborted.reason as Error);
  options.aborted.addEventListener('abort', stop);
  if (options.aborted.aborted) stop();
  try {
    yield await readRecords(counted(stream as AsyncIterable<Buffer>, options.onBytes), options);
  } finally {
    options.aborted.removeEventListener('abort', stop);
  }
}

async function readParquet(path: string, size: number, options: InputOptions): Promise<ImportRecords> {
  const { columns, rows } = await openParquet(path, (share) => options.onBytes(share * size));
  if (options.list !== undefined)
    throw misuse('--list names a list within an object of JSON, and this is Parquet');
  const isOwn =
    isOwnHeader(columns) && options.table === undefined && (options.from ?? 'event-query') === 'event-query';
  return isOwn
    ? { unit: 'row', records: toOwnEventsOfRows(rows, columns) }
    : readValues('row', rows, options);
}

/** What a Mac adds to a zip, and lists of what is in it. */
const NO_EVENTS = /(^|\/)(__MACOSX\/|\.|manifest\.json$)/;

async function* readZip(path: string, size: number, options: InputOptions): AsyncGenerator<InputPart> {
  const zip = await openZip(path);
  try {
    const members = zip.members.filter(({ name }) => !NO_EVENTS.test(name));
    const totals = describeTotals(
      members.map(({ name }) => name),
      '',
    );
    if (totals !== undefined) throw misuse(totals);
    const unpacked = members.reduce((sum, member) => sum + member.size, 0);
    // Bytes are counted unpacked, and the bar is that of the file.
    const onBytes = (bytes: number) => options.onBytes((bytes / Math.max(1, unpacked)) * size);
    const named = (name: string) => members.filter((each) => each.name.split('/').at(-1) === name);
    const [tables, all] = [named('website_event.csv'), named('event_data.csv')];
    if (tables.length > 0 && options.list !== undefined)
      throw misuse('--list names a list within an object of JSON, and this is a zip of Umami');
    for (const events of tables) {
      const data = tables.length === 1 ? all[0] : all.find((each) => folderOf(each) === folderOf(events));
      const read = await readValues('line', toUmamiRecords(events, data, options), {
        ...options,
        from: 'umami',
      });
      yield { member: events.name, unordered: true, ...read };
    }
    const used = tables.length > 1 ? [...tables, ...all] : [...tables, ...all.slice(0, 1)];
    const isUsed = tables.length > 0 ? used : members;
    for (const member of zip.members)
      if (!isUsed.includes(member)) options.leftOut.add(`file ${member.name} of the zip`);
    if (tables.length > 0) return;
    for (const { name, read } of members)
      yield { member: name, ...(await readRecords(counted(read(), onBytes), options)) };
  } finally {
    zip.close();
  }
}

/** Where a file of a zip is, with a slash at its end. */
const folderOf = ({ name }: ZipMember) => name.slice(0, name.lastIndexOf('/') + 1);

/** The first four bytes of a file, as text. */
function magicOf(path: string): string {
  const handle = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    return bytes.toString('latin1', 0, readSync(handle, bytes, 0, 4, 0));
  } finally {
    closeSync(handle);
  }
}

async function* counted(
  source: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    onBytes(chunk.length);
    yield chunk;
  }
}
