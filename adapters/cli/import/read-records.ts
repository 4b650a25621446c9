import { invalid, isApiError, type ApiError, type JsonObject } from '../../../src/index.ts';
import { isJsonObject, parseJsonLine } from '../../../src/internal.ts';
import { misuse } from '../process/errors.ts';
import { FORMAT_NAMES, MAPPED_FORMATS, MAPPINGS, type FormatName } from './formats.ts';
import { toLogRecord } from './mappings/access-log.ts';
import { compileMapping } from './mappings/apply.ts';
import { planTable, proposeFlags, toTableEvents, type TableOptions } from './mappings/csv.ts';
import type { LeftOut } from './left-out.ts';
import { describeMapping } from './mappings/describe.ts';
import { createInstants, type Instants, type TimeOptions } from './mappings/instants.ts';
import type { Mapping } from './mappings/mapping.ts';
import { isOwnHeader, toOwnEvents } from './mappings/own-csv.ts';
import { toSnowplowRecord } from './mappings/snowplow.ts';
import { peekEach } from './readers/ahead.ts';
import { parseCsvLine, toCsvRows } from './readers/csv-rows.ts';
import { peek } from './readers/head.ts';
import { takeHeader } from './readers/header.ts';
import { toJsonItems } from './readers/json-items.ts';
import { unpack } from './readers/gzip.ts';
import { LINE_BYTES_MAX, toLines, toLinesWithReturns } from './readers/lines.ts';
import { paced } from './readers/paced.ts';
import { toParsed } from './readers/parsed.ts';
import type { RecordUnit, SourceRecord } from './readers/records.ts';
import { describeTotals } from './totals.ts';

/** The records of a file: each is what a client could send as an event, or an ApiError. */
export interface ImportRecords {
  readonly unit: RecordUnit;
  readonly records: AsyncIterable<SourceRecord>;
}

/** How files are read. */
export interface FormatOptions extends TimeOptions {
  /** The format; without it, the content says it. */
  readonly from?: FormatName;
  /** The columns of a table that is not our own. */
  readonly table?: TableOptions;
  /** Goes into the hashes that stand for clients in access logs. */
  readonly salt?: string;
  /** Counts what is in no event. */
  readonly leftOut: LeftOut;
  /** Ends reading. */
  readonly aborted: AbortSignal;
}

const NEWLINE = 0x0a;
/** How many records, or lines, may begin a file before one that says what it is. */
const AHEAD = 10;

/**
 * Finds out what bytes are by how they begin, plain or gzip, and reads their records as events. Throws an
 * Error for a format that is not known, and for one that holds no events.
 */
export async function readRecords(
  source: AsyncIterable<Buffer>,
  options: FormatOptions,
): Promise<ImportRecords> {
  const { head, all } = await peek(paced(unpack(source), options.aborted), hasFirstLine);
  const text = textOf(head);
  const lines = text.split(/\r?\n/, AHEAD).filter((line) => line.trim() !== '');
  if (text.startsWith('PK\u0003\u0004') || text.startsWith('PAR1'))
    throw misuse('a zip or Parquet file is read in any order, so give the file itself, not a pipe or gzip');
  const totals = describeTotals([], lines[0] ?? '');
  if (totals !== undefined && options.from === undefined && options.table === undefined) throw misuse(totals);
  const form = options.from ?? (options.table === undefined ? findForm(text, lines) : 'csv');
  if (form === undefined) return refuse(lines, options);
  if (form === 'csv') return readTable(all, lines, options);
  if (form === 'snowplow') return readLines(all, MAPPINGS.snowplow, toSnowplowRecord, options);
  if (form === 'access-log') {
    const { salt = '' } = options;
    return readLines(all, MAPPINGS[form], (line) => toLogRecord(line, salt), options);
  }
  if (form === 'event-query' && !/^[[{]/.test(text) && isOwnHeader(parseCsvLine(lines[0] ?? '', ',') ?? []))
    return { unit: 'line', records: toOwnEvents(await takeHeader(toCsvRows(toLinesWithReturns(all), ','))) };
  return text.startsWith('[')
    ? readValues('item', toParsed(toJsonItems(all), 'item', parseJsonLine), options)
    : readValues('line', toParsed(toLines(all), 'line', parseJsonLine), options);
}

/** What a text is, as far as its first lines say it; its records say more of JSON. */
function findForm(text: string, lines: readonly string[]): FormatName | 'json' | undefined {
  const [first] = lines;
  if (first === undefined) return 'event-query';
  if (/^[[{]/.test(text)) return 'json';
  if (isOwnHeader(parseCsvLine(first, ',') ?? [])) return 'event-query';
  if (lines.some((line) => !isApiError(toSnowplowRecord(line)))) return 'snowplow';
  if (lines.some((line) => toLogRecord(line, '') !== undefined)) return 'access-log';
  return isTable(lines) ? 'csv' : undefined;
}

/** Reads a table by what the user says of its columns; without that, throws an Error with a proposal. */
async function readTable(
  bytes: AsyncIterable<Buffer>,
  lines: readonly string[],
  options: FormatOptions,
): Promise<ImportRecords> {
  const { table, say } = options;
  const delimiter = delimiterOf(lines);
  const { header, rows } = await takeHeader(toCsvRows(toLinesWithReturns(bytes), delimiter));
  if (table === undefined) {
    const shown = lines.slice(1).flatMap((line) => [parseCsvLine(line, delimiter) ?? []]);
    say(
      ['this is a table; it begins:', ...lines.slice(0, 4).map((line) => `  ${line.slice(0, 200)}`)].join(
        '\n',
      ),
    );
    throw misuse(`say which column is what, for instance ${proposeFlags(header, shown)}`);
  }
  const instants = createInstants(options);
  const plan = asMisuse(() => planTable(header, table, instants));
  const fields = plan.columns.map(({ keys }, i) => `  ${keys.join('.')}: ${header[i]!}`);
  say(['this is a table; its events are made of', ...fields].join('\n'));
  return { unit: 'line', records: zoned(toTableEvents(rows, plan), instants, options) };
}

/** Works; what is wrong with a flag is a wrong call. */
function asMisuse<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isApiError(error) ? misuse(error.message) : error;
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
  const format = options.from ?? findFormat(first.map(({ value }) => value));
  if (format === undefined || format === 'csv') {
    const shown = first.map(({ value }) => JSON.stringify(value));
    return refuse(shown, options);
  }
  if (format === 'event-query') {
    const timed = options.epoch === undefined ? all : toTimed(all, options);
    return { unit, records: zoned(timed, { usedZone: () => false }, options) };
  }
  return { unit, records: toMapped(all, MAPPINGS[format], options) };
}

/** The format of the first object; `event-query` without one, so that each record is refused by itself. */
function findFormat(values: readonly unknown[]): FormatName | undefined {
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
  const parseOwn = (line: string) =>
    parse(line) ?? invalid('event', `its line is not one of ${mapping.title}, got ${shown(line)}`);
  return { unit: 'line', records: toMapped(toParsed(toLines(bytes), 'line', parseOwn), mapping, options) };
}

/** Says it if `--time-zone` moved no time of the records. */
async function* zoned(
  records: AsyncIterable<SourceRecord>,
  instants: Pick<Instants, 'usedZone'>,
  { timeZone, say }: FormatOptions,
): AsyncGenerator<SourceRecord> {
  yield* records;
  if (timeZone !== undefined && !instants.usedZone())
    say('--time-zone has no effect here: no time lacks a zone; numbers count from 1970 in UTC');
}

async function* toMapped(
  records: AsyncIterable<SourceRecord>,
  mapping: Mapping,
  options: FormatOptions,
): AsyncGenerator<SourceRecord> {
  const { timeZone, say } = options;
  if (mapping.zone !== undefined && timeZone !== undefined && timeZone !== mapping.zone)
    throw misuse(`--time-zone ${timeZone}: times of ${mapping.title} are UTC where they name no zone`);
  const fields = Object.entries(describeMapping(mapping)).map(([field, from]) => `  ${field}: ${from}`);
  say([`this is ${mapping.title}; its events are made of`, ...fields].join('\n'));
  const instants = createInstants(options);
  const toEvent = compileMapping(mapping, instants);
  async function* events(): AsyncGenerator<SourceRecord> {
    for await (const record of records) {
      const { number, bytes, value } = record;
      if (value === undefined || isApiError(value)) yield record;
      else yield { number, bytes, ...toEvent(value) };
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

/** Shows how a file begins, and says what would be right. */
function refuse(lines: readonly string[], { say }: FormatOptions): never {
  say(['it begins:', ...lines.slice(0, 3).map((line) => `  ${line.slice(0, 200)}`)].join('\n'));
  throw misuse(
    `this is no format that import knows; an event is {"eventName": …, "userId": …, "eventTs": …}, a line ` +
      `each; --from FORMAT says what it is: ${FORMAT_NAMES.join(', ')}`,
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

const shown = (line: string) => JSON.stringify(line.slice(0, 60));
