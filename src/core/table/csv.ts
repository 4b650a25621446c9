import type { ApiError } from '../base/errors.ts';
import type { Includable, JsonValue, StoredEvent } from '../event/event.ts';
import { refuseRounded } from '../event/exact-json.ts';
import { isTooDeep } from '../event/json-depth.ts';
import { toEventView } from '../filter/predicate.ts';
import { BARE, BOM, toCsvLine, toSheetTime, withoutGuard, type Separator } from './csv-line.ts';
import { toFlatTable } from './flat-table.ts';
import type { Properties } from '../query/properties.ts';

/** Events as CSV (RFC 4180), with one column for each path. */
export interface Csv {
  /** The header line. */
  readonly head: string;
  /** Writes one event, including the line end. */
  readonly lineOf: (event: StoredEvent) => string;
}

export interface CsvOptions {
  /** The fields that are not in every answer. */
  readonly include?: readonly Includable[] | undefined;
  /** Default: a comma. */
  readonly separator?: Separator | undefined;
  /** Whether the table begins with a byte order mark. */
  readonly hasBom?: boolean | undefined;
  /** Whether the times of events are written as spreadsheets take them for times. */
  readonly hasSheetTimes?: boolean | undefined;
}

/** The fields of an event that are times. */
const TIMES: readonly string[] = ['eventTs', 'receivedAt'];

/**
 * Creates a CSV writer with the columns of these properties. Quoting a cell is one line of code and must run
 * wherever the core does; CSV libraries bring a parser or Node streams. Throws as `toFlatTable` does.
 */
export function createCsv(
  properties: Properties,
  where: string,
  { include, separator, hasBom = false, hasSheetTimes = false }: CsvOptions = {},
): Csv {
  const { columns, fields, valuesOf } = toFlatTable(properties, where, include);
  const names = columns.map(({ path }) => path);
  const isTime = names.map((name) => hasSheetTimes && TIMES.includes(name));
  const cellsOf = (event: StoredEvent) => {
    const values = valuesOf(toEventView(event));
    return hasSheetTimes ? values.map((value, i) => (isTime[i]! ? toSheetTime(value) : value)) : values;
  };
  return {
    head: (hasBom ? BOM : '') + toCsvLine(names, undefined, separator),
    lineOf: (event) => toCsvLine(cellsOf(event), (i) => i >= fields, separator),
  };
}

/**
 * The value of a property's cell that `createCsv` wrote: undefined for an empty one. `isQuoted` says whether
 * quotes stood around the text. A text that is itself the JSON of an array or an object is read as that. An
 * ApiError for an integer that a double does not hold.
 */
export function parseCell(text: string, isQuoted: boolean): JsonValue | ApiError | undefined {
  if (text === '') return isQuoted ? '' : undefined;
  if (!isQuoted && BARE.test(text)) return refuseRounded(text) ?? (JSON.parse(text) as JsonValue);
  if (text.startsWith('{') || text.startsWith('[')) return parseComposite(text) ?? withoutGuard(text);
  return withoutGuard(text);
}

function parseComposite(text: string): JsonValue | ApiError | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return refuseRounded(text) ?? value;
  } catch {
    return undefined;
  }
}
