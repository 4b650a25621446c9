import { invalid, isApiError, type ApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { isJsonObject, setOwn } from '../../../src/internal.ts';
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
export function toEventOfRow(plans: readonly ColumnPlan[], { cells, quoted }: CsvRow): JsonObject | ApiError {
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
  return event;
}

/** Where a part of an event comes from: cells that are joined by blanks, or the same text for every row. */
type SourcePlan =
  | { readonly places: readonly number[]; readonly plan: ColumnPlan }
  | { readonly keys: readonly string[]; readonly constant: string };

/** A part of an event that is named, and its sources, of which the first that holds a value counts. */
export interface TargetPlan {
  readonly name: string;
  /** Its sources in words. */
  readonly from: string;
  readonly sources: readonly SourcePlan[];
}

/** How a table is read. */
export interface TablePlan {
  readonly targets: readonly TargetPlan[];
  /** What becomes of each column of which no target was made. */
  readonly columns: readonly ColumnPlan[];
}

/** Makes an event of a row by what is said of its columns; an ApiError when it does not fit them. */
export function toEventOfTable(
  { targets, columns }: TablePlan,
  cells: readonly string[],
): JsonObject | ApiError {
  const misfit = wrongLength(cells, columns);
  if (misfit !== undefined) return misfit;
  const event: JsonObject = {};
  const used = new Set<number>();
  const add = ({ keys, read }: ColumnPlan, text: string) => {
    const value = read(text, false);
    if (value === undefined || isApiError(value)) return value;
    return put(event, keys, value);
  };
  for (const { sources } of targets) {
    const source = sources.find((each) => 'constant' in each || each.places.every((at) => cells[at] !== ''));
    if (source === undefined) continue;
    if (!('constant' in source)) for (const at of source.places) used.add(at);
    const problem =
      'constant' in source
        ? put(event, source.keys, source.constant)
        : add(source.plan, source.places.map((at) => cells[at]!).join(' '));
    if (problem !== undefined) return problem;
  }
  for (let i = 0; i < columns.length; i++) {
    const problem = used.has(i) || cells[i] === '' ? undefined : add(columns[i]!, cells[i]!);
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
