import { invalid, isApiError, type ApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { EVENT_BYTES_MAX, parseJsonLine } from '../../../src/internal.ts';
import { setOwn } from '../values/own-keys.ts';
import { wrongLength } from './mappings/columns.ts';
import { exactNumber } from './mappings/exact-number.ts';
import type { SourceRecord } from './readers/records.ts';
import { toCsvRows } from './readers/csv-rows.ts';
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
}

/** How the tables of Umami are read. */
export interface UmamiOptions {
  /** Ends reading. */
  readonly aborted: AbortSignal;
  readonly turnBytes?: number;
}

/**
 * The events of Umami's export, each with its data under `data`. Both tables may be larger than memory and
 * are in no order, so a turn takes the events of one share of all ids, with their data.
 */
export async function* toUmamiRecords(
  events: ZipMember,
  data: ZipMember | undefined,
  { aborted, turnBytes = TURN_BYTES }: UmamiOptions,
): AsyncGenerator<SourceRecord> {
  const turns = data === undefined ? 1 : Math.max(1, Math.ceil(data.size / turnBytes));
  const turnOf = (id = '') => (turns === 1 ? 0 : sumOf(id) % turns);
  for (let turn = 0; turn < turns; turn++) {
    const held = new Map<string, HeldData>();
    if (data !== undefined) {
      for await (const { number, bytes, cells, placeOf } of toTable(data, aborted)) {
        if (isApiError(cells)) {
          const problem = `an event lacks what line ${number} of event_data.csv says: ${cells.message}`;
          if (turn === 0) yield { number, bytes, value: invalid('event', problem) };
          continue;
        }
        const id = textOf(cells[placeOf('website_event_id')]);
        if (id === undefined || turnOf(id) !== turn) continue;
        const key = textOf(cells[placeOf('data_key')]);
        const value = toDataValue((name) => textOf(cells[placeOf(name)]));
        if (key !== undefined) hold(held, id, { key, value, length: bytes });
      }
    }
    for await (const { number, bytes, cells, names, placeOf } of toTable(events, aborted)) {
      if (isApiError(cells)) {
        if (turn === 0) yield { number, bytes, value: cells };
        continue;
      }
      const id = textOf(cells[placeOf('event_id')]);
      if (turnOf(id) !== turn) continue;
      const own = held.get(id ?? '')?.value;
      if (isApiError(own)) yield { number, bytes, value: own };
      else {
        const value = toObject(names, cells);
        if (own !== undefined) value.data = own;
        yield { number, bytes, value };
      }
    }
  }
}

/** A number that spreads ids evenly over the turns. */
function sumOf(id: string): number {
  let sum = 0;
  for (let i = 0; i < id.length; i++) sum = (Math.imul(sum, 31) + id.charCodeAt(i)) >>> 0;
  return sum;
}

/** Adds a value to the data of an event, unless that has become too much. */
function hold(
  held: Map<string, HeldData>,
  id: string,
  { key, value, length }: { readonly key: string; readonly value: JsonValue; readonly length: number },
): void {
  let own = held.get(id);
  if (own === undefined) {
    own = { value: {}, length: 0 };
    held.set(id, own);
  }
  own.length += length;
  if (own.length > DATA_MAX)
    own.value = invalid('event', `has more than ${DATA_MAX} bytes of event_data.csv`);
  else if (!isApiError(own.value)) setOwn(own.value, key, value);
}

/** The text of a cell; undefined for a missing one, as exports of ClickHouse and PostgreSQL write it. */
const textOf = (cell: string | undefined) => (cell === '' || cell === '\\N' ? undefined : cell);

/** The rows of a table behind the one that names its columns; `placeOf` finds the cell of a column. */
async function* toTable({ read }: ZipMember, aborted: AbortSignal) {
  let names: readonly string[] | undefined;
  const places = new Map<string, number>();
  const placeOf = (name: string) => places.get(name) ?? -1;
  for await (const { number, bytes, value } of toCsvRows(toLinesWithReturns(paced(read(), aborted)), ',')) {
    if (value === undefined) continue;
    if (isApiError(value)) yield { number, bytes, cells: value, names: names ?? [], placeOf };
    else if (names === undefined) {
      names = value.cells;
      names.forEach((name, i) => places.set(name, i));
    } else {
      // A row that is cut would be another event, and the whole one then counts as a duplicate of it.
      const cells = wrongLength(value.cells, names) ?? value.cells;
      yield { number, bytes, cells, names, placeOf };
    }
  }
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
