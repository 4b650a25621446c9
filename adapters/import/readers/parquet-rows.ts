import type { FileMetaData, RowGroup } from 'hyparquet';
import { isApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { parseJsonLine, PATHS_KEY, setOwn } from '../../../src/internal.ts';
import { damage, messageOf } from '../base/errors.ts';
import type { SourceRecord } from './records.ts';

/** A Parquet file: the names of its columns, and its rows as objects; an empty cell has no key. */
export interface ParquetFile {
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<SourceRecord<JsonObject>>;
}

/** About how many bytes of cells are read at once; a row group of more is read in pieces. */
const PIECE_BYTES = 16_777_216;
/** The rows of a piece at least, and at most. */
const [PIECE_ROWS_MIN, PIECE_ROWS_MAX] = [1000, 65_536];

/** How cells are read that the library would read another way. */
const PARSERS = {
  /** JSON that cannot be read, or nests too deep, stays the text that it is, as in a table. */
  jsonFromBytes: (bytes: Uint8Array | undefined): unknown => {
    if (bytes === undefined) return undefined;
    const text = Buffer.from(bytes).toString('utf8');
    const value = parseJsonLine(text);
    return isApiError(value) ? text : value;
  },
};

/**
 * Opens a Parquet file. `onRead` is told which share of all rows was read since the last call. Throws an
 * Error of one line when the file is cut or damaged.
 */
export async function openParquet(path: string, onRead: (share: number) => void): Promise<ParquetFile> {
  const [{ asyncBufferFromFile, parquetMetadataAsync, parquetRead, parquetSchema }, { compressors }] =
    await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file).catch((error: unknown) => {
    throw damaged(error);
  });
  const names = parquetSchema(metadata).children.map(({ element }) => element.name);
  const columns = pathsOf(metadata) ?? names;
  if (columns.length !== names.length) throw damaged(new Error('it has paths of other columns'));
  const twice = columns.find((name, i) => columns.indexOf(name) !== i);
  if (twice !== undefined) throw damage(`the Parquet file has two columns "${twice}"`);
  const total = Number(metadata.num_rows);

  async function* rows(): AsyncGenerator<SourceRecord<JsonObject>> {
    let start = 0;
    for (const group of metadata.row_groups) {
      checkLengths(group);
      const end = start + Number(group.num_rows);
      const rowBytes = Math.max(1, Number(group.total_byte_size) / Math.max(1, Number(group.num_rows)));
      const size = Math.min(PIECE_ROWS_MAX, Math.max(PIECE_ROWS_MIN, Math.floor(PIECE_BYTES / rowBytes)));
      for (; start < end; start += size) {
        const rowEnd = Math.min(end, start + size);
        let piece: unknown[][] = [];
        // As objects, the library would lose a column that is called `__proto__`.
        await parquetRead({
          ...{ file, metadata, compressors, parsers: PARSERS, columns: names },
          ...{ rowStart: start, rowEnd, rowFormat: 'array' },
          onComplete: (rows) => (piece = rows),
        }).catch((error: unknown) => {
          throw damaged(error);
        });
        onRead(piece.length / total);
        for (const [i, row] of piece.entries()) {
          // A value that stands once in a dictionary may be in every row, and there it takes its room.
          const value = toJsonRow(columns, row);
          yield { number: start + i + 1, bytes: Math.ceil(Math.max(rowBytes, sizeOf(value))), value };
        }
      }
      start = end;
    }
  }
  return { columns, rows: rows() };
}

/** The paths that an export gave its columns, where some of these have other names. */
function pathsOf({ key_value_metadata: entries }: FileMetaData): readonly string[] | undefined {
  const value = entries?.find(({ key }) => key === PATHS_KEY)?.value;
  const paths = value === undefined ? undefined : parseJsonLine(value);
  return Array.isArray(paths) && paths.every((path) => typeof path === 'string') ? paths : undefined;
}

/**
 * Throws an Error where a column has more or fewer values than its group has rows: rows without an end, or
 * without what they had, would be read from it.
 */
function checkLengths({ columns, num_rows: rows }: RowGroup): void {
  for (const { meta_data: column } of columns) {
    // A column within a list or a struct has a number of values of its own.
    if (column === undefined || column.path_in_schema.length > 1 || column.num_values === rows) continue;
    const name = column.path_in_schema.join('.');
    throw damaged(new Error(`the column ${name} has ${column.num_values} values for ${rows} rows`));
  }
}

/** About how many bytes a row takes in memory. */
function sizeOf(row: JsonObject): number {
  let bytes = 0;
  for (const cell of Object.values(row)) {
    if (typeof cell === 'string') bytes += cell.length;
    else if (typeof cell === 'object') bytes += JSON.stringify(cell).length;
  }
  return bytes;
}

function damaged(error: unknown): Error {
  return damage(`the Parquet file is cut or damaged: ${messageOf(error)}`);
}

function toJsonRow(columns: readonly string[], row: readonly unknown[]): JsonObject {
  const object: JsonObject = {};
  for (let i = 0; i < columns.length; i++) {
    const value = toJsonValue(row[i]);
    if (value !== null) setOwn(object, columns[i]!, value);
  }
  return object;
}

/** A cell as JSON: times as ISO 8601, integers beyond 2^53 as texts, because a number would round them. */
function toJsonValue(cell: unknown): JsonValue {
  if (cell === undefined || cell === null) return null;
  if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);
  if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? null : cell.toISOString();
  if (ArrayBuffer.isView(cell) && !(cell instanceof Uint8Array)) return Array.from(cell as Float32Array);
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('base64');
  if (Array.isArray(cell)) return cell.map(toJsonValue);
  if (typeof cell !== 'object') return cell as JsonValue;
  return toJsonObject(cell as Record<string, unknown>);
}

function toJsonObject(struct: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(struct).map(([key, value]) => [key, toJsonValue(value)]));
}
