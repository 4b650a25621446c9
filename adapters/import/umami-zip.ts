import { invalid, isApiError, type ApiError, type JsonObject, type JsonValue } from '../../src/index.ts';
import { EVENT_BYTES_MAX, parseJsonLine, setOwn } from '../../src/internal.ts';
import { misfit } from './base/errors.ts';
import type { OptionWords } from './base/options.ts';
import type { LeftOut } from './readers/left-out.ts';
import { wrongLength } from './mappings/columns.ts';
import { exactNumber } from './mappings/exact-number.ts';
import type { SourceRecord } from './readers/records.ts';
import { toCsvRows } from './readers/csv-rows.ts';
import { takeHeader } from './readers/header.ts';
import { toLinesWithReturns } from './readers/lines.ts';
import { paced } from './readers/paced.ts';
import type { ZipMember } from './readers/zip.ts';

/** How much of `event_data.csv` is held at once; more is read in several turns. */
const TURN_BYTES = 67_108_864;

/**
 * How many characters of data an event may have in the table. An event takes fewer bytes, but the table may
 * write a number or a list at more length.
 */
const DATA_MAX = 4 * EVENT_BYTES_MAX;

/** The data of an event. */
interface HeldData {
  /** What is known of it; the reason of a refusal where it is more than any event may hold. */
  value: JsonObject | ApiError;
  length: number;
  rows: number;
  /** Whether its event was read. */
  isTaken: boolean;
}

/** How the tables of Umami are read. */
export interface UmamiOptions {
  /** Ends reading. */
  readonly aborted: AbortSignal;
  /** Counts what is in no event. */
  readonly leftOut: LeftOut;
  /** Is told of columns that are missing. */
  readonly say: (line: string) => void;
  readonly words: OptionWords;
  readonly turnBytes?: number;
}

/**
 * The events of Umami's export, each with its data under `data`. Both tables may be larger than memory and
 * are in no order, so a turn takes the events of one share of all ids, with their data.
 */
export async function* toUmamiRecords(
  events: ZipMember,
  data: ZipMember | undefined,
  options: UmamiOptions,
): AsyncGenerator<SourceRecord> {
  const { leftOut, turnBytes = TURN_BYTES } = options;
  const turns = data === undefined ? 1 : Math.max(1, Math.ceil(data.size / turnBytes));
  const turnOf = (id = '') => (turns === 1 ? 0 : sumOf(id) % turns);
  for (let turn = 0; turn < turns; turn++) {
    const held = new Map<string, HeldData>();
    if (data !== undefined) {
      for await (const { number, bytes, cells, names, placeOf } of toTable(data, DATA, options)) {
        if (isApiError(cells)) {
          const problem = `an event lacks what line ${number} of event_data.csv says: ${cells.message}`;
          if (turn === 0) yield { number, bytes, value: invalid('event', problem) };
          continue;
        }
        const id = textOf(cells[idOf(placeOf)]);
        const key = textOf(cells[placeOf('data_key')]);
        if (turn === 0) countUnread(names, cells, leftOut);
        if (turn === 0 && (id === undefined || key === undefined))
          leftOut.add('rows of event_data.csv without an event or a key');
        if (id === undefined || key === undefined || turnOf(id) !== turn) continue;
        const value = toDataValue((name) => textOf(cells[placeOf(name)]));
        if (hold(held, id, { key, value, length: bytes }))
          leftOut.add('earlier values of a key in event_data.csv');
      }
    }
    for await (const { number, bytes, cells, names, placeOf } of toTable(events, EVENTS, options)) {
      if (isApiError(cells)) {
        if (turn === 0) yield { number, bytes, value: cells };
        continue;
      }
      const id = textOf(cells[placeOf('event_id')]);
      if (turnOf(id) !== turn) continue;
      const found = held.get(id ?? '');
      const own = found?.value;
      if (found !== undefined) found.isTaken = true;
      if (isApiError(own)) yield { number, bytes, value: own };
      else {
        const value = toObject(names, cells);
        if (own !== undefined) value.data = own;
        yield { number, bytes, value };
      }
    }
    for (const { isTaken, rows } of held.values())
      if (!isTaken) leftOut.add('rows of event_data.csv whose event is not in website_event.csv', rows);
  }
}

/** A number that spreads ids evenly over the turns. */
function sumOf(id: string): number {
  let sum = 0;
  for (let i = 0; i < id.length; i++) sum = (Math.imul(sum, 31) + id.charCodeAt(i)) >>> 0;
  return sum;
}

/** Adds a value to the data of an event, unless that has become too much; whether it replaced another one. */
function hold(
  held: Map<string, HeldData>,
  id: string,
  { key, value, length }: { readonly key: string; readonly value: JsonValue; readonly length: number },
): boolean {
  let own = held.get(id);
  if (own === undefined) {
    own = { value: {}, length: 0, rows: 0, isTaken: false };
    held.set(id, own);
  }
  own.rows += 1;
  own.length += length;
  if (own.length > DATA_MAX)
    own.value = invalid('event', `has more than ${DATA_MAX} bytes of event_data.csv`);
  if (isApiError(own.value)) return false;
  const isAgain = Object.hasOwn(own.value, key) && own.value[key] !== value;
  setOwn(own.value, key, value);
  return isAgain;
}

/** The text of a cell; undefined for a missing one, as exports of ClickHouse and PostgreSQL write it. */
const textOf = (cell: string | undefined) => (cell === '' || cell === '\\N' ? undefined : cell);

/** What is read of a table by the names of its columns. */
interface TableNeeds {
  readonly title: string;
  /** Columns without which nothing can be said; of several names one is enough. */
  readonly needed: readonly (readonly string[])[];
  /** Columns that may be missing, which is said then. */
  readonly usual: readonly string[];
}

/** ClickHouse, on which Umami's cloud runs, has another name for the event of a row than PostgreSQL. */
const DATA_IDS = ['website_event_id', 'event_id'];
const DATA: TableNeeds = {
  title: 'event_data.csv',
  needed: [DATA_IDS, ['data_key']],
  usual: ['string_value', 'number_value', 'date_value', 'data_type'],
};
const EVENTS: TableNeeds = {
  title: 'website_event.csv',
  needed: [['event_id']],
  usual: ['event_name', 'created_at'],
};
const DATA_COLUMNS = new Set([...DATA.needed.flat(), ...DATA.usual]);

const idOf = (placeOf: (name: string) => number) => placeOf(DATA_IDS.find((name) => placeOf(name) !== -1)!);

/** Counts the cells of a row of `event_data.csv` that nothing reads. */
function countUnread(names: readonly string[], cells: readonly string[], leftOut: LeftOut): void {
  for (let i = 0; i < names.length; i++) {
    if (!DATA_COLUMNS.has(names[i]!) && textOf(cells[i]) !== undefined)
      leftOut.add(`column ${names[i]!} of event_data.csv`);
  }
}

/** The rows of a table behind the one that names its columns; `placeOf` finds the cell of a column. */
async function* toTable({ read }: ZipMember, needs: TableNeeds, options: UmamiOptions) {
  const bytes = paced(read(), options.aborted);
  try {
    const lines = toLinesWithReturns(bytes, options.words);
    const { header: names, rows } = await takeHeader(toCsvRows(lines, ','));
    const placeOf = findPlaces(names, needs, options);
    for await (const { number, bytes: size, value } of rows) {
      if (value === undefined) continue;
      // A row that is cut would be another event, and the whole one then counts as a duplicate of it.
      const cells = isApiError(value) ? value : (wrongLength(value.cells, names) ?? value.cells);
      yield { number, bytes: size, cells, names, placeOf };
    }
  } finally {
    await bytes.return(undefined);
  }
}

/** Where the columns of a table are. Throws an Error where one is missing that is needed. */
function findPlaces(
  names: readonly string[],
  { title, needed, usual }: TableNeeds,
  { say }: UmamiOptions,
): (name: string) => number {
  const places = new Map(names.map((name, i) => [name, i]));
  const missing = needed.find((each) => !each.some((name) => places.has(name)));
  if (missing !== undefined && names.length > 0)
    throw misfit(`${title} has no column ${missing.join(' or ')}; it has ${names.join(', ').slice(0, 500)}`);
  const absent = usual.filter((name) => !places.has(name));
  if (absent.length > 0 && names.length > 0) say(`${title} has no column ${absent.join(', no ')}`);
  return (name) => places.get(name) ?? -1;
}

/** A row as an object whose keys are the names of its columns; empty cells are left out. */
function toObject(names: readonly string[], cells: readonly string[]): JsonObject {
  const row: JsonObject = {};
  for (let i = 0; i < cells.length; i++) {
    const text = textOf(cells[i]);
    if (text !== undefined) setOwn(row, names[i]!, text);
  }
  return row;
}

/** A value of `event_data.csv` by its `data_type`: text, number, boolean, date or array. */
function toDataValue(read: (column: string) => string | undefined): JsonValue {
  const type = read('data_type');
  const text = read('string_value') ?? '';
  const number = read('number_value');
  if (type === '2' && number !== undefined) return exactNumber(number) ?? number;
  if (type === '3') return text === 'true';
  if (type === '4') return read('date_value') ?? text;
  return type === '5' ? toArray(text) : text;
}

function toArray(text: string): JsonValue {
  const value = parseJsonLine(text) as JsonValue | ApiError;
  return isApiError(value) ? text : value;
}
