import { isUtf8 } from 'node:buffer';
import { isApiError, type ApiError, type JsonObject } from '../../src/index.ts';
import { isJsonObject, parseJsonLine } from '../../src/internal.ts';
import { misfit, noList } from './base/errors.ts';
import { IMPORT_FORMATS, MAPPED_FORMATS, MAPPINGS, type ImportFormat, type MappedFormat } from './formats.ts';
import type { OptionWords } from './base/options.ts';
import { compileMapping } from './mappings/apply.ts';
import { planTable, toTableEvents, type TableOptions } from './mappings/csv.ts';
import type { LeftOut } from './readers/left-out.ts';
import { describeMapping } from './mappings/describe.ts';
import { createInstants, type Instants, type TimeOptions } from './mappings/instants.ts';
import { toMappedObjects } from './mappings/json-map.ts';
import { toFieldsRecord } from './mappings/log-fields.ts';
import { createLogReader, isLogLine } from './mappings/log-lines.ts';
import type { Mapping } from './mappings/mapping.ts';
import { parseObject } from './mappings/json-object.ts';
import { isOwnHeader, toOwnEvents } from './mappings/own-csv.ts';
import { proposeLayout } from './mappings/proposal.ts';
import { toSnowplowRecord } from './mappings/snowplow.ts';
import { proposeList, proposeMap } from './propose-json.ts';
import { peekEach } from './readers/ahead.ts';
import { parseCsvLine, toCsvRows } from './readers/csv-rows.ts';
import { fromDocker, isDockerLine } from './readers/docker.ts';
import { guessEncoding, toUtf8 } from './readers/encoding.ts';
import { peek } from './readers/head.ts';
import { takeHeader } from './readers/header.ts';
import { beginsArray, beginsOpenObject, parseObjectHead } from './readers/json-head.ts';
import { toJsonItems } from './readers/json-items.ts';
import { toListBytes } from './readers/json-list.ts';
import { unpack } from './readers/gzip.ts';
import { LINE_BYTES_MAX, toLines, toLinesWithReturns } from './readers/lines.ts';
import { paced } from './readers/paced.ts';
import { parseLine, toParsed } from './readers/parsed.ts';
import type { RecordUnit, SourceRecord } from './readers/records.ts';
import { describeTotals } from './totals.ts';
import { toUmamiRecords } from './umami-zip.ts';

/** The records of a file: each is what a client could send as an event, or an ApiError. */
export interface ImportRecords {
  readonly unit: RecordUnit;
  readonly records: AsyncIterable<SourceRecord>;
}

/** How files are read. */
export interface FormatOptions extends TimeOptions {
  /** The format; without it, the content says it. */
  readonly from?: ImportFormat;
  /** How texts are written, if not in UTF-8. */
  readonly encoding?: string;
  /** Where the records are within an object of JSON: keys separated by dots. */
  readonly list?: string;
  /** The columns of a table that is not our own. */
  readonly table?: TableOptions;
  /** Goes into the hashes that stand for clients in access logs. */
  readonly salt?: string;
  /** Counts what is in no event. */
  readonly leftOut: LeftOut;
  /** Ends reading. */
  readonly aborted: AbortSignal;
}

/** How the text of a file is read. */
interface TextOptions extends FormatOptions {
  /** Whether all that a program wrote is in it, and not its log alone. */
  readonly isMixed?: boolean;
}

const [NEWLINE, RETURN] = [0x0a, 0x0d];
/** How many records, or lines, may begin a file before one that says what it is. */
const AHEAD = 10;
/** The same of a log, in which programs say first how they started. */
const LOG_AHEAD = 200;

/**
 * Finds out what bytes are by how they begin, plain or gzip, and reads their records as events. Throws an
 * Error for a format that is not known, and for one that holds no events.
 */
export async function readRecords(
  source: AsyncIterable<Buffer>,
  options: FormatOptions,
): Promise<ImportRecords> {
  const bytes = paced(toUtf8(unpack(source), options.encoding), options.aborted);
  const { head, all } = await peek(bytes, hasFirstLine);
  const hasSample = ({ length }: Buffer) => length >= SAMPLE_BYTES;
  const [first = ''] = linesOf(textOf(head));
  if (isDockerLine(first)) {
    const lines = await peek(fromDocker(all, options.leftOut), hasSample);
    return readText(lines.head, lines.all, { ...options, isMixed: true });
  }
  const object = parseObject(first);
  if (object === undefined || findFormat([object]) !== undefined) return readText(head, all, options);
  // The first lines of a log often tell how a server started.
  const more = await peek(all, hasSample);
  return readText(more.head, more.all, options);
}

/** Reads the records of a text that begins with `head`. */
async function readText(
  head: Buffer,
  all: AsyncIterable<Buffer>,
  options: TextOptions,
): Promise<ImportRecords> {
  const { from, table, words } = options;
  const text = textOf(head);
  const lines = linesOf(text);
  if (text.startsWith('PK\u0003\u0004') || text.startsWith('PAR1'))
    throw misfit('a zip or Parquet file is read in any order, so give the file itself, not a pipe or gzip');
  refusePacked(head);
  if (!head.includes(NEWLINE) && head.includes(RETURN))
    throw misfit(
      `its lines end with CR alone, as old Macs wrote them: tr '\\r' '\\n' < FILE makes lines of them`,
    );
  if (head.subarray(0, 1000).includes(0))
    throw misfit(`this looks like UTF-16: say ${words.option('encoding')} ${guessEncoding(head)}`);
  const totals = describeTotals([], lines[0] ?? '');
  if (totals !== undefined && from === undefined && table === undefined) throw misfit(totals);
  const found = findForm(text, lines, table !== undefined && from === undefined);
  if (from !== undefined)
    refuseMisfit(from, { found, isJson: beginsJson(text), isMapped: table !== undefined }, words);
  const form = from ?? found;
  if (form === undefined) return refuse(lines, options);
  if (options.list !== undefined) return readList(all, text, { ...options, list: options.list });
  if (form === 'csv') return readTable(all, head, options);
  if (form === 'umami' && !beginsJson(text)) return readUmamiTable(all, options);
  if (form === 'snowplow') return readLines(all, MAPPINGS.snowplow, toSnowplowRecord, options);
  if (form === 'access-log' && !beginsArray(text)) {
    const { salt = '', leftOut, isMixed = false } = options;
    return readLines(all, MAPPINGS[form], createLogReader({ salt, leftOut, isMixed }), options);
  }
  if (form === 'event-query' && !beginsJson(text) && isOwnHeader(parseCsvLine(lines[0] ?? '', ',') ?? []))
    return {
      unit: 'line',
      records: toOwnEvents(await takeHeader(toCsvRows(toLinesWithReturns(all, options.words), ','))),
    };
  return beginsArray(text)
    ? readValues('item', toParsed(toJsonItems(all, options.words), 'item', parseJsonLine), options)
    : readLinesOfJson(all, text, options);
}

/** Reads the events of Umami without the table of their data. */
function readUmamiTable(all: AsyncIterable<Buffer>, options: FormatOptions): Promise<ImportRecords> {
  options.say(
    'event_data.csv holds the data of events: in a zip with it, website_event.csv is read with them',
  );
  const events = { name: 'website_event.csv', size: 0, read: () => all };
  return readValues('line', toUmamiRecords(events, undefined, options), { ...options, from: 'umami' });
}

/** Reads the items of a list within an object. */
function readList(
  bytes: AsyncIterable<Buffer>,
  text: string,
  options: FormatOptions & { readonly list: string },
): Promise<ImportRecords> {
  const { list: path, leftOut, words } = options;
  const onBeside = (key: string) => leftOut.add(`key ${key} beside the list`);
  if (beginsArray(text))
    throw misfit(`${words.option('list')} names a list within an object, and this is an array: leave it out`);
  if (!text.startsWith('{')) throw noList(words, 'none');
  const items = toJsonItems(toListBytes(bytes, { path, onBeside, words }), words);
  return readValues('item', toParsed(items, 'item', parseJsonLine), options);
}

/** Reads an object a line. Throws an Error for an object that goes on in the next line. */
async function readLinesOfJson(
  bytes: AsyncIterable<Buffer>,
  text: string,
  options: FormatOptions,
): Promise<ImportRecords> {
  const isOpen = beginsOpenObject(text.split('\n', 2));
  const isLong = text.startsWith('{') && !text.includes('\n') && text.length > SAMPLE_BYTES;
  if (!isOpen && !isLong)
    return readValues('line', toParsed(toLines(bytes, options.words), 'line', parseLine), options);
  const { head, all } = await peek(bytes, ({ length }) => length >= SAMPLE_BYTES);
  const object = parseObjectHead(textOf(head));
  if (object !== undefined && findFormat([object]) === undefined) proposeList(object, findFormat, options);
  if (isOpen)
    throw misfit(
      'this is a JSON object over several lines, and an event is an object on a line of its own, or in an ' +
        'array; jq -c . FILE writes each object on a line',
    );
  return readValues('line', toParsed(toLines(all, options.words), 'line', parseLine), options);
}

/** What a text is, as far as its first lines say it; its records say more of JSON. */
function findForm(
  text: string,
  lines: readonly string[],
  isMapped: boolean,
): ImportFormat | 'json' | undefined {
  const [first] = lines;
  if (first !== undefined && beginsJson(text)) return !isMapped && isJsonLog(text) ? 'access-log' : 'json';
  if (isMapped) return 'csv';
  if (first === undefined) return 'event-query';
  const header = parseCsvLine(first, ',') ?? [];
  if (isOwnHeader(header)) return 'event-query';
  if (isUmamiHeader(header)) return 'umami';
  if (lines.some((line) => !isApiError(toSnowplowRecord(line)))) return 'snowplow';
  if (linesOf(text, LOG_AHEAD).some(isLogLine)) return 'access-log';
  return isTable(SEPARATOR.test(first) ? lines.slice(1) : lines) ? 'csv' : undefined;
}

const isUmamiHeader = (names: readonly string[]) =>
  MAPPINGS.umami.fits(Object.fromEntries(names.map((name) => [name, ''])));

/** Whether lines of JSON are a log, which no other format begins. */
function isJsonLog(text: string): boolean {
  const lines = linesOf(text, LOG_AHEAD);
  const first = parseObject(lines[0]!);
  return (
    first !== undefined && [undefined, 'access-log'].includes(findFormat([first])) && lines.some(isLogLine)
  );
}

/** Reads a table by what the user says of its columns; without that, throws an Error with a proposal. */
async function readTable(
  bytes: AsyncIterable<Buffer>,
  head: Buffer,
  options: FormatOptions,
): Promise<ImportRecords> {
  if (options.table === undefined && options.encoding === undefined && !isUtf8(wholeLinesOf(head))) {
    const encoding = guessEncoding(head);
    return readTable(toUtf8(bytes, encoding), toUtf8Head(head, encoding), { ...options, encoding });
  }
  const { table, say } = options;
  const lines = linesOf(textOf(head));
  // Excel writes the separator into a line of its own, and takes it away when it reads the file.
  const named = SEPARATOR.exec(lines[0] ?? '')?.[1];
  if (named !== undefined) lines.shift();
  const delimiter = named ?? delimiterOf(lines);
  const all = toCsvRows(toLinesWithReturns(bytes, options.words), delimiter);
  const { header, rows } = await takeHeader(named === undefined ? all : (await takeHeader(all)).rows);
  if (table === undefined) {
    const { first } = await peekEach(rows, PROPOSAL_ROWS, () => false);
    const cells = first.flatMap(({ value }) =>
      value === undefined || isApiError(value) ? [] : [value.cells],
    );
    const { layout, notes } = proposeLayout(header, cells, options);
    say(
      ['this is a table; it begins:', ...lines.slice(0, 4).map((line) => `  ${line.slice(0, 200)}`)].join(
        '\n',
      ),
    );
    for (const each of notes) say(each);
    throw misfit('say which column is what', layout);
  }
  const instants = createInstants(options);
  const plan = asMisfit(() => planTable(header, table, instants));
  const sources = plan.targets.flatMap((target) => target.sources);
  const mapped = new Set(sources.flatMap((each) => ('places' in each ? each.places : [])));
  const fields = [
    ...plan.targets.map(({ name, from }) => `  ${name}: ${from}`),
    ...header.flatMap((name, i) => (mapped.has(i) ? [] : [`  properties.${name}: ${name}`])),
  ];
  say(['this is a table; its events are made of', ...fields].join('\n'));
  return { unit: 'line', records: zoned(toTableEvents(rows, plan), instants, options) };
}

/** How many rows a proposal looks at. */
const PROPOSAL_ROWS = 10_000;
/** How many bytes show what an object is that goes on in the next line. */
const SAMPLE_BYTES = 65_536;
const SEPARATOR = /^"?sep=(.)"?$/i;

/** The lines of a text that say something. */
const linesOf = (text: string, most = AHEAD) =>
  text.split(/\r?\n/, most).filter((line) => line.trim() !== '');

/** The lines at the beginning that are whole: the last character of the rest may be cut. */
const wholeLinesOf = (head: Buffer) => head.subarray(0, head.lastIndexOf(NEWLINE) + 1);

/** As a stream, since some versions of Node read Windows-1252 as Latin-1 otherwise. */
const toUtf8Head = (head: Buffer, encoding: string) =>
  Buffer.from(new TextDecoder(encoding).decode(wholeLinesOf(head), { stream: true }));

/** How files begin that other programs have packed. */
const PACKED: readonly (readonly [magic: readonly number[], name: string])[] = [
  [[0x42, 0x5a, 0x68], 'bzip2'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'zstd'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], 'xz'],
  [[0x04, 0x22, 0x4d, 0x18], 'lz4'],
  [[0x37, 0x7a, 0xbc, 0xaf], '7z'],
  [[0x52, 0x61, 0x72, 0x21], 'rar'],
];

function refusePacked(head: Buffer): void {
  const found = PACKED.find(([magic]) => magic.every((byte, i) => head[i] === byte));
  if (found !== undefined)
    throw misfit(`this is packed by ${found[1]}; only gzip and zip are unpacked: unpack it, and import that`);
}

/** Works; what is wrong with what is said of columns is an error of the options. */
function asMisfit<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isApiError(error) ? misfit(error.message) : error;
  }
}

/** What separates the cells of a table: that of which its header has most. */
function delimiterOf([header = '']: readonly string[]): string {
  const count = (delimiter: string) => parseCsvLine(header, delimiter)?.length ?? 0;
  return [',', ';', '\t', '|'].reduce((best, each) => (count(each) > count(best) ? each : best));
}

/** Whether lines look like a table: the second has as many cells as the header, or goes on in the third. */
function isTable(lines: readonly string[]): boolean {
  const delimiter = delimiterOf(lines);
  const counts = lines.slice(0, 2).map((line) => parseCsvLine(line, delimiter)?.length);
  return (counts[0] ?? 0) > 1 && (counts.length < 2 || counts[1] === undefined || counts[1] === counts[0]);
}

/** Reads values of JSON, or rows of another reader, by the mapping that the first ones fit. */
export async function readValues(
  unit: RecordUnit,
  values: AsyncIterable<SourceRecord>,
  options: FormatOptions,
): Promise<ImportRecords> {
  const { first, all } = await peekEach(
    values,
    AHEAD,
    ({ value }) => isJsonObject(value) && !isApiError(value),
  );
  if (options.table !== undefined && (options.from ?? 'csv') === 'csv') {
    const { table } = options;
    const instants = createInstants(options);
    const events = asMisfit(() => toMappedObjects(all, table, instants));
    return { unit, records: zoned(events, instants, options) };
  }
  const found = findFormat(first.map(({ value }) => value));
  const format = options.from ?? found;
  hintAt(format, found, first, options);
  if (format === undefined || format === 'csv') {
    const { first: more } = await peekEach(all, PROPOSAL_ROWS, () => false);
    const objects = more
      .map(({ value }) => value)
      .filter((value) => isJsonObject(value) && !isApiError(value));
    return proposeMap(objects as JsonObject[], findFormat, options);
  }
  if (format === 'event-query') {
    const timed = options.epoch === undefined ? all : toTimed(all, options);
    return { unit, records: zoned(timed, { usedZone: () => false }, options) };
  }
  const { salt = '', leftOut } = options;
  const toRecord = (record: JsonObject) =>
    format === 'access-log' ? toFieldsRecord(record, { salt, leftOut }) : record;
  return { unit, records: toMapped(all, MAPPINGS[format], options, toRecord) };
}

/** Says it where the first record looks like one of another format than the user names. */
function hintAt(
  format: ImportFormat | undefined,
  found: ImportFormat | undefined,
  first: readonly SourceRecord[],
  { say, words }: FormatOptions,
): void {
  const mapping = (name: ImportFormat | undefined) =>
    MAPPED_FORMATS.includes(name as MappedFormat) ? MAPPINGS[name as MappedFormat] : undefined;
  const [named, other] = [mapping(format), mapping(found)];
  if (other === undefined || format === found) return;
  const isOfNamed = ({ value }: SourceRecord) => isJsonObject(value) && named?.fits(value) === true;
  if (!first.some(isOfNamed))
    say(`its first record looks like ${other.title}: ${words.option('from')} ${found!} reads it`);
}

/** The format of the first object; `event-query` without one, so that each record is refused by itself. */
function findFormat(values: readonly unknown[]): ImportFormat | undefined {
  const object = values.find((value): value is JsonObject => isJsonObject(value) && !isApiError(value));
  if (object === undefined || Object.keys(object).length === 0) return 'event-query';
  if (['eventName', 'eventTs', 'insertId'].some((key) => Object.hasOwn(object, key))) return 'event-query';
  const found = MAPPED_FORMATS.find((name) => MAPPINGS[name].fits(object));
  return found ?? (Object.hasOwn(object, 'userId') ? 'event-query' : undefined);
}

function readLines(
  bytes: AsyncIterable<Buffer>,
  mapping: Mapping,
  parse: (line: string) => JsonObject | ApiError | undefined,
  options: FormatOptions,
): ImportRecords {
  return {
    unit: 'line',
    records: toMapped(toParsed(toLines(bytes, options.words), 'line', parse), mapping, options),
  };
}

/** Says it if `timeZone` moved no time of the records. */
async function* zoned(
  records: AsyncIterable<SourceRecord>,
  instants: Pick<Instants, 'usedZone'>,
  { timeZone, say, words }: FormatOptions,
): AsyncGenerator<SourceRecord> {
  yield* records;
  if (timeZone !== undefined && !instants.usedZone())
    say(
      `${words.option('timeZone')} has no effect here: no time lacks a zone; numbers count from 1970 in UTC`,
    );
}

async function* toMapped(
  records: AsyncIterable<SourceRecord>,
  mapping: Mapping,
  options: FormatOptions,
  toRecord: (record: JsonObject) => JsonObject = (record) => record,
): AsyncGenerator<SourceRecord> {
  const { timeZone, say, words } = options;
  if (mapping.zone !== undefined && timeZone !== undefined && timeZone !== mapping.zone)
    throw misfit(
      `${words.option('timeZone')} ${timeZone}: times of ${mapping.title} are UTC where they name no zone`,
    );
  const fields = Object.entries(describeMapping(mapping)).map(([field, from]) => `  ${field}: ${from}`);
  say([`this is ${mapping.title}; its events are made of`, ...fields].join('\n'));
  const instants = createInstants(options);
  const toEvent = compileMapping(mapping, instants);
  async function* events(): AsyncGenerator<SourceRecord> {
    for await (const record of records) {
      const { number, bytes, value } = record;
      if (value === undefined || isApiError(value)) yield record;
      else yield { number, bytes, ...toEvent(isJsonObject(value) ? toRecord(value) : value) };
    }
  }
  yield* zoned(events(), instants, options);
}

/** Reads the times of events in our own format whose numbers count what the user says. */
async function* toTimed(
  records: AsyncIterable<SourceRecord>,
  options: FormatOptions,
): AsyncGenerator<SourceRecord> {
  const instants = createInstants(options);
  for await (const record of records) {
    const { value } = record;
    if (!isJsonObject(value) || isApiError(value) || value.eventTs === undefined) yield record;
    else {
      const eventTs = instants.read(value.eventTs, undefined);
      yield { ...record, value: isApiError(eventTs) ? eventTs : { ...value, eventTs } };
    }
  }
}

/** What a text is that is no JSON, and how it is imported. */
const FORMS: Partial<Record<ImportFormat | 'json', (from: string) => string>> = {
  csv: (from) => `a table: leave ${from} out, and import proposes which column is which field`,
  'event-query': (from) => `a table as export writes it: leave ${from} out`,
  snowplow: (from) => `enriched events of Snowplow: leave ${from} out, or say ${from} snowplow`,
  umami: (from) => `website_event.csv of Umami: leave ${from} out, or say ${from} umami`,
  'access-log': (from) => `the log of a web server: leave ${from} out, or say ${from} access-log`,
};

/** What `refuseMisfit` knows of a text. */
interface TextForm {
  readonly found: ImportFormat | 'json' | undefined;
  readonly isJson: boolean;
  /** Whether the user has said what its columns are. */
  readonly isMapped: boolean;
}

/** Throws an Error where no record of a text can be of the format that the user names. */
function refuseMisfit(
  from: ImportFormat,
  { found, isJson, isMapped }: TextForm,
  { option }: OptionWords,
): void {
  const flag = option('from');
  if (isJson) {
    const begin = `${flag} ${from} takes ${TAKEN[from]!}, and this is JSON: leave ${flag} out`;
    if (from === 'csv') throw misfit(`${begin}; ${option('map')} takes JSON, too`);
    if (from === 'snowplow') throw misfit(begin);
    return;
  }
  // What the user says of columns counts, and lines that nothing knows may be a log that begins oddly.
  if (found === from || (from === 'csv' && (isMapped || found === undefined || found === 'umami'))) return;
  if (found === undefined && from in TAKEN) return;
  // A table of another number of columns is refused line by line, with both numbers.
  if (from === 'snowplow' && found === 'csv') return;
  const what = FORMS[found ?? 'json']?.(flag) ?? `no JSON: import without ${flag} says what it takes`;
  throw misfit(`${flag} ${from} takes ${TAKEN[from] ?? 'JSON, or Parquet'}, and this is ${what}`);
}

/** What formats take that are not JSON alone. */
const TAKEN: Partial<Record<ImportFormat, string>> = {
  'event-query': 'JSON, or CSV and Parquet as export writes them',
  'access-log': 'the lines of a log of web servers',
  csv: 'a table',
  snowplow: 'lines of 131 columns, separated by tabs',
  umami: 'a zip of website_event.csv and event_data.csv, or website_event.csv',
};

/** Shows how a file begins, and says what would be right. */
function refuse(lines: readonly string[], { say, words }: FormatOptions): never {
  say(['it begins:', ...lines.slice(0, 3).map((line) => `  ${line.slice(0, 200)}`)].join('\n'));
  throw misfit(
    `this is no format that import knows; an event is {"eventName": …, "userId": …, "eventTs": …}, a line ` +
      `each; ${words.option('map')} says which key is which field of JSON, and ${words.option('from')} ` +
      'FORMAT what a file is: ' +
      IMPORT_FORMATS.join(', '),
  );
}

function hasFirstLine(head: Buffer): boolean {
  if (head.length >= LINE_BYTES_MAX) return true;
  return head.includes(NEWLINE) && textOf(head) !== '';
}

/** The text without a byte order mark and without blanks before it. */
function textOf(head: Buffer): string {
  return head.toString('utf8', 0, LINE_BYTES_MAX).trimStart();
}

const beginsJson = (text: string) => text.startsWith('{') || beginsArray(text);
