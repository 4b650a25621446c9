import { isApiError, type JsonObject } from '../../../src/index.ts';
import { parseCell, parsePath, withoutGuard } from '../../../src/internal.ts';
import type { HeadedRows } from '../readers/header.ts';
import type { SourceRecord } from '../readers/records.ts';
import { toEventOfRow, toEventOfValues, type ColumnPlan } from './columns.ts';

/** The columns that make a table one that `export --format csv` wrote. */
const NEEDED = ['eventName', 'userId', 'eventTs'];

/** Whether a header is that of our own CSV: it names the fields of events and paths of properties only. */
export function isOwnHeader(names: readonly string[]): boolean {
  return NEEDED.every((name) => names.includes(name)) && names.every((name) => planOf(name) !== undefined);
}

/** Makes events of the rows of our own CSV. */
export async function* toOwnEvents({ header, rows }: HeadedRows): AsyncGenerator<SourceRecord> {
  const plans = header.flatMap((name) => planOf(name) ?? []);
  for await (const { number, bytes, value } of rows) {
    if (value === undefined || isApiError(value)) yield { number, bytes, value };
    else yield { number, bytes, value: toEventOfRow(plans, value) };
  }
}

/** Makes events of the rows of our own Parquet, whose cells have types; a date is written as a time. */
export async function* toOwnEventsOfRows(
  rows: AsyncIterable<SourceRecord<JsonObject>>,
  columns: readonly string[],
): AsyncGenerator<SourceRecord> {
  const keysOf = new Map(columns.map((name) => [name, planOf(name)?.keys ?? [name]]));
  for await (const { number, bytes, value } of rows) {
    if (typeof value.eventDate === 'string') value.eventDate = value.eventDate.slice(0, 10);
    yield { number, bytes, value: toEventOfValues(value, keysOf) };
  }
}

/** A field is a text; a property is whatever its cell was written from. */
function planOf(name: string): ColumnPlan | undefined {
  if (name === 'properties') return { keys: [name], read: parseCell };
  try {
    const { root, segments } = parsePath(name, 'header');
    if (root === 'properties') return { keys: [root, ...segments], read: parseCell };
    return { keys: [root], read: (text) => (text === '' ? undefined : withoutGuard(text)) };
  } catch (error) {
    if (isApiError(error)) return undefined;
    throw error;
  }
}
