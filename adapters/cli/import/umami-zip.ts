import { isApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { digestOf } from './mappings/apply.ts';
import type { SourceRecord } from './readers/records.ts';
import { toCsvRows } from './readers/csv-rows.ts';
import { toLinesWithReturns } from './readers/lines.ts';
import type { ZipMember } from './readers/zip.ts';

/** How much of `event_data.csv` is held at once; more is read in several turns. */
const TURN_BYTES = 33_554_432;

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
    const held = new Map<JsonValue, JsonObject>();
    if (data !== undefined) {
      for await (const { value } of toRowObjects(data)) {
        if (isApiError(value) || turnOf(value.website_event_id) !== turn) continue;
        const id = value.website_event_id;
        if (id === undefined || typeof value.data_key !== 'string') continue;
        const known = held.get(id);
        const own = known ?? (Object.create(null) as JsonObject);
        if (known === undefined) held.set(id, own);
        own[value.data_key] = toDataValue(value);
      }
    }
    for await (const record of toRowObjects(events)) {
      const { value } = record;
      if (isApiError(value)) {
        if (turn === 0) yield record;
      } else if (turnOf(value.event_id) === turn) {
        const own = held.get(value.event_id ?? '');
        yield own === undefined ? record : { ...record, value: { ...value, data: own } };
      }
    }
  }
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
  if (type === '2' && typeof number === 'string' && Number.isFinite(Number(number))) return Number(number);
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
