import {
  invalid,
  isApiError,
  type ApiError,
  type JsonObject,
  type JsonValue,
} from '../../../../src/index.ts';
import { isJsonObject } from '../../../../src/internal.ts';
import { setOwn } from '../../values/own-keys.ts';
import type { CsvRow } from '../readers/csv-rows.ts';

/** What becomes of a column of a table. */
export interface ColumnPlan {
  /** The keys under which an event holds it: a field, or `properties` and the keys below. */
  readonly keys: readonly string[];
  /** The value of a cell: undefined for an empty one, an ApiError for one that cannot be read. */
  readonly read: (text: string, isQuoted: boolean) => JsonValue | ApiError | undefined;
}

/** What is wrong with a row that has more or fewer cells than its header; undefined for any other row. */
export function wrongLength(cells: readonly string[], header: readonly unknown[]): ApiError | undefined {
  if (cells.length === header.length) return undefined;
  return invalid('event', `its row has ${cells.length} cells, and the header names ${header.length}`);
}

/** Makes an event of a row; an ApiError when it does not fit the columns. */
export function toEventOfRow(
  plans: readonly ColumnPlan[],
  { cells, quoted }: CsvRow,
  constants: readonly Constant[] = [],
): JsonObject | ApiError {
  const misfit = wrongLength(cells, plans);
  if (misfit !== undefined) return misfit;
  const event: JsonObject = {};
  for (let i = 0; i < plans.length; i++) {
    const { keys, read } = plans[i]!;
    const value = read(cells[i]!, quoted[i] === true);
    if (value === undefined) continue;
    if (isApiError(value)) return value;
    const problem = put(event, keys, value);
    if (problem !== undefined) return problem;
  }
  for (const { keys, value } of constants) {
    const problem = put(event, keys, value);
    if (problem !== undefined) return problem;
  }
  return event;
}

/** Makes an event of values that already have their types, each under the keys of its column. */
export function toEventOfValues(
  row: JsonObject,
  keysOf: ReadonlyMap<string, readonly string[]>,
): JsonObject | ApiError {
  const event: JsonObject = {};
  for (const [name, value] of Object.entries(row)) {
    const problem = put(event, keysOf.get(name)!, value);
    if (problem !== undefined) return problem;
  }
  return event;
}

/** What each event of a table holds, beside its row. */
export interface Constant {
  readonly keys: readonly string[];
  readonly value: JsonValue;
}

/** Puts a value below some keys: an object beside what is there already. */
export function put(event: JsonObject, keys: readonly string[], value: JsonValue): ApiError | undefined {
  let object = event;
  for (let i = 0; i < keys.length - 1; i++) {
    const held = ownOf(object, keys[i]!);
    const next = held ?? setOwn(object, keys[i]!, {});
    if (!isJsonObject(next)) return bothError(keys.slice(0, i + 1));
    object = next;
  }
  const key = keys.at(-1)!;
  const held = ownOf(object, key);
  if (held === undefined) return void setOwn(object, key, value);
  if (!isJsonObject(held) || !isJsonObject(value)) return bothError(keys);
  for (const [own, inner] of Object.entries(value)) {
    if (Object.hasOwn(held, own)) return bothError([...keys, own]);
    setOwn(held, own, inner);
  }
  return undefined;
}

function bothError(keys: readonly string[]): ApiError {
  return invalid(keys.join('.'), 'has two values in one row, or a value and keys');
}

function ownOf(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
