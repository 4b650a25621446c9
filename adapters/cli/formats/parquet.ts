import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { JsonObject, JsonValue, Properties } from '../../../src/index.ts';
import { PATHS_KEY, toFlatTable, type FlatColumn, type FlatValue } from '../../../src/internal.ts';
import {
  EVENT_OVERHEAD_BYTES,
  toEventView,
  type EventView,
  type Includable,
  type StoredEvent,
} from '../../../src/store-kit.ts';
import { failure } from '../process/errors.ts';
import { warn } from '../print/output.ts';
import type { EventWriter, Put } from './format.ts';
import { tellApart } from './names-apart.ts';

/** The footer describes each column of each row group, and stays in memory until the end. */
const COLUMNS_MAX = 1000;

/** The size of a row group: about this many bytes of events, and this many cells, including empty ones. */
const GROUP_BYTES = 16_777_216;
const GROUP_CELLS = 2_097_152;

/** A column of a file: its declaration, and its value for an event, or null. */
interface ParquetColumn {
  readonly element: SchemaElement;
  readonly cellOf: (value: FlatValue, event: EventView) => unknown;
}

/**
 * Begins a Parquet file with a column for each of these properties. It writes row groups, so that memory use
 * stays flat. Instants and dates have their own types; a path with only texts, numbers or booleans has that
 * type, any other path is JSON. Columns that differ only in capitals get other names, which a warning tells,
 * and the file keeps their paths beside them. Throws an Error when there are too many columns for a file.
 */
export async function openParquet(
  put: Put,
  properties: Properties,
  include?: readonly Includable[],
): Promise<EventWriter> {
  const table = toFlatTable(properties, '--format', include);
  const { names, remark } = tellApart(table.columns.map(({ path }) => path));
  const columns = table.columns.map((column, i) => toColumn(column, names[i]!));
  if (columns.length > COLUMNS_MAX) {
    throw failure(`a Parquet file takes at most ${COLUMNS_MAX} columns, and these are ${columns.length}`);
  }
  const writer = new ByteWriter();
  const schema = [{ name: 'events', num_children: columns.length }, ...columns.map(({ element }) => element)];
  const paths = JSON.stringify(table.columns.map(({ path }) => path));
  const kvMetadata = remark === undefined ? [] : [{ key: PATHS_KEY, value: paths }];
  const file = new ParquetWriter({ writer, schema, createdBy: 'event-query', kvMetadata });
  if (remark !== undefined) warn(remark);
  const rowsMax = Math.floor(GROUP_CELLS / columns.length);
  let held: unknown[][] = columns.map(() => []);
  let [rows, bytes] = [0, 0];

  /** Sends a copy of what the library has written, because the library reuses its buffer. */
  async function putWritten(): Promise<void> {
    const written = writer.getBytes().slice();
    writer.index = 0;
    await put(written);
  }

  async function writeGroup(): Promise<void> {
    const columnData = columns.map(({ element }, i) => ({
      name: element.name,
      data: held[i]!,
      offsetIndex: false,
      // Statistics of a JSON column would put whole values into the footer.
      statistics: element.converted_type !== 'JSON',
    }));
    await file.write({ columnData, rowGroupSize: rows });
    held = columns.map(() => []);
    [rows, bytes] = [0, 0];
    await putWritten();
  }

  function hold(event: StoredEvent): void {
    const view = toEventView(event);
    const values = table.valuesOf(view);
    columns.forEach(({ cellOf }, i) => held[i]!.push(cellOf(values[i], view)));
    rows += 1;
    bytes += EVENT_OVERHEAD_BYTES + event.propertiesJson.length;
  }

  await putWritten();
  return {
    async write(events) {
      for (const event of events) {
        hold(event);
        if (rows >= rowsMax || bytes >= GROUP_BYTES) await writeGroup();
      }
    },
    async end() {
      if (rows > 0) await writeGroup();
      await file.finish();
      await putWritten();
    },
  };
}

/** The column type of a path whose values all have one JSON type. */
const DECLARED = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
} as const;

/** An instant. Readers that know the older declaration only may take it for a time without a zone. */
const INSTANT = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const;

function toColumn(column: FlatColumn, name: string): ParquetColumn {
  const { path, types } = column;
  if (path === 'eventTs')
    return {
      element: { ...optional(name), ...INSTANT },
      cellOf: (_value, { eventTs }) => new Date(eventTs),
    };
  if (path === 'receivedAt') {
    const element = { ...optional(name), ...INSTANT };
    const cellOf: ParquetColumn['cellOf'] = (_value, { receivedAt }) =>
      receivedAt === undefined ? null : new Date(receivedAt);
    return { element, cellOf };
  }
  if (path === 'eventDate') {
    const element = { ...optional(name), type: 'INT32', converted_type: 'DATE' } as const;
    return { element, cellOf: (_value, { eventTs }) => new Date(eventTs) };
  }
  const [type] = types;
  if (types.length !== 1 || type === undefined || type === 'array' || type === 'object') {
    const element = { ...optional(name), type: 'BYTE_ARRAY', converted_type: 'JSON' } as const;
    return { element, cellOf: toJsonCell };
  }
  return {
    element: { ...optional(name), ...DECLARED[type] },
    cellOf: (value) => heldBy(column, type, value),
  };
}

/**
 * Prepares a JSON value for the library: it copies plain objects and loses a key `__proto__` in doing so, but
 * takes objects without a prototype as they are.
 */
function toJsonCell(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return value.map(toJsonCell);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.assign(Object.create(null) as JsonObject, value);
}

function optional(name: string) {
  return { name, repetition_type: 'OPTIONAL' } as const;
}

/** Checks a value's type: the file declares its columns first, and an event may have arrived since. */
function heldBy({ path }: FlatColumn, type: keyof typeof DECLARED, value: FlatValue): unknown {
  if (value === undefined) return null;
  if (typeof value === type) return value;
  throw failure(`${path} held nothing but a ${type} in each event until one came meanwhile; export again`);
}
