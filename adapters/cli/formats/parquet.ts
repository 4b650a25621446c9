import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { JsonObject, JsonValue, Properties } from '../../../src/index.ts';
import { toFlatTable, type FlatColumn, type FlatValue } from '../../../src/internal.ts';
import {
  EVENT_OVERHEAD_BYTES,
  toEventView,
  type EventView,
  type StoredEvent,
} from '../../../src/store-kit.ts';
import { failure } from '../errors.ts';
import type { EventWriter, Put } from './format.ts';

/** The footer tells of each column in each group of rows, and is in memory until the end. */
const COLUMNS_MAX = 1000;

/** How much a group of rows holds: about as many bytes of events, and as many cells, empty ones too. */
const GROUP_BYTES = 16_777_216;
const GROUP_CELLS = 2_097_152;

/** A column of a file: how it is declared, and what it holds of an event; null for nothing. */
interface ParquetColumn {
  readonly element: SchemaElement;
  readonly cellOf: (value: FlatValue, event: EventView) => unknown;
}

/**
 * Begins a Parquet file with the columns of these properties, in groups of rows, so that memory stays flat:
 * times and days as such, texts, numbers and booleans where a path holds nothing else, JSON anywhere else.
 * Throws an Error for more columns than a file can hold.
 */
export async function openParquet(put: Put, properties: Properties): Promise<EventWriter> {
  const table = toFlatTable(properties, '--format');
  const columns = table.columns.map(toColumn);
  if (columns.length > COLUMNS_MAX) {
    throw failure(`a Parquet file takes at most ${COLUMNS_MAX} columns, and these are ${columns.length}`);
  }
  const writer = new ByteWriter();
  const schema = [{ name: 'events', num_children: columns.length }, ...columns.map(({ element }) => element)];
  const file = new ParquetWriter({ writer, schema, createdBy: 'event-query' });
  const rowsMax = Math.floor(GROUP_CELLS / columns.length);
  let held: unknown[][] = columns.map(() => []);
  let [rows, bytes] = [0, 0];

  /** What the library has written leaves as a copy, because the same memory is written again. */
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
      // The bounds of JSON would stand in the footer at their full length.
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

/** How a type of JSON is written where a path holds no other. */
const DECLARED = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
} as const;

function toColumn(column: FlatColumn): ParquetColumn {
  const { path: name, types } = column;
  if (name === 'eventTs') {
    const element = { ...optional(name), type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' } as const;
    return { element, cellOf: (_value, { eventTs }) => new Date(eventTs) };
  }
  if (name === 'eventDate') {
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
 * A value of JSON as the library writes it whole: plain objects it makes anew, without a key `__proto__`, and
 * those without a prototype it takes as they are.
 */
function toJsonCell(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return value.map(toJsonCell);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.assign(Object.create(null) as JsonObject, value);
}

function optional(name: string) {
  return { name, repetition_type: 'OPTIONAL' } as const;
}

/** A file says what its columns hold before the first event, and an event may come meanwhile. */
function heldBy({ path }: FlatColumn, type: keyof typeof DECLARED, value: FlatValue): unknown {
  if (value === undefined) return null;
  if (typeof value === type) return value;
  throw failure(`${path} held nothing but a ${type} in each event until one came meanwhile; export again`);
}
