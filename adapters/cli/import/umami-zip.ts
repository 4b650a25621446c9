import { invalid, isApiError, type ApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { EVENT_BYTES_MAX } from '../../../src/internal.ts';
import { digestOf } from './mappings/apply.ts';
import { exactNumber } from './mappings/exact-number.ts';
import type { SourceRecord } from './readers/records.ts';
import { toCsvRows } from './readers/csv-rows.ts';
import { toLinesWithReturns } from './readers/lines.ts';
import type { ZipMember } from './readers/zip.ts';

/** How much of `event_data.csv` is held at once; more is read in several turns. */
const TURN_BYTES = 33_554_432;

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

/**
 * The events of Umami's export, each with its data under `data`. Both tables may be larger than memory and
 * are in no order, so a turn takes the events of one share of all ids, with their data.
 */
export async function* toUmamiRecords(
  events: ZipMember,
  data: ZipMember | undefined,
  turnBytes = TURN_BYTES,
): AsyncGenerator<SourceRecord> {
  const turns = data === undefined ? 1 : Math.max(1, Math.ceil(data.size / turnBytes));
  const turnOf = (id: JsonValue = '') =>
    turns === 1 ? 0 : Number.parseInt(digestOf(JSON.stringify(id)).slice(0, 8), 16) % turns;
  for (let turn = 0; turn < turns; turn++) {
    const held = new Map<JsonValue, HeldData>();
    if (data !== undefined) {
      for await (const { value, bytes } of toRowObjects(data)) {
        if (isApiError(value) || turnOf(value.website_event_id) !== turn) continue;
        const id = value.website_event_id;
        if (id !== undefined && typeof value.data_key === 'string') {
          hold(held, id, { key: value.data_key, value: toDataValue(value), length: bytes });
        }
      }
    }
    for await (const record of toRowObjects(events)) {
      const { value } = record;
      if (isApiError(value)) {
        if (turn === 0) yield record;
      } else if (turnOf(value.event_id) === turn) {
        const own = held.get(value.event_id ?? '')?.value;
        if (own === undefined) yield record;
        else yield { ...record, value: isApiError(own) ? own : { ...value, data: own } };
      }
    }
  }
}

/** Adds a value to the data of an event, unless that has become too much. */
function hold(
  held: Map<JsonValue, HeldData>,
  id: JsonValue,
  { key, value, length }: { readonly key: string; readonly value: JsonValue; readonly length: number },
): void {
  let own = held.get(id);
  if (own === undefined) {
    own = { value: Object.create(null) as JsonObject, length: 0 };
    held.set(id, own);
  }
  own.length += length;
  if (own.length > DATA_MAX)
    own.value = invalid('event', `has more than ${DATA_MAX} bytes of event_data.csv`);
  else if (!isApiError(own.value)) own.value[key] = value;
}

/** The rows of a table as objects whose keys are the names of its columns; empty cells are left out. */
async function* toRowObjects({ read }: ZipMember) {
  let names: readonly string[] | undefined;
  for await (const { number, bytes, value } of toCsvRows(toLinesWithReturns(read()), ',')) {
    if (value === undefined) continue;
    if (isApiError(value)) yield { number, bytes, value };
    else if (names === undefined) names = value.cells;
    else {
      const row: JsonObject = {};
      // Exports of ClickHouse and PostgreSQL write a missing value in these ways.
      value.cells.forEach((cell, i) => {
        if (cell !== '' && cell !== '\\N') row[names![i] ?? `column_${i + 1}`] = cell;
      });
      yield { number, bytes, value: row };
    }
  }
}

/** A value of `event_data.csv` by its `data_type`: text, number, boolean, date or array. */
function toDataValue(row: JsonObject): JsonValue {
  const { data_type: type, string_value: text = '', number_value: number, date_value: date } = row;
  if (type === '2' && typeof number === 'string') return exactNumber(number) ?? number;
  if (type === '3') return text === 'true';
  if (type === '4') return date ?? text;
  if (type === '5' && typeof text === 'string') return toArray(text);
  return text;
}

function toArray(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
