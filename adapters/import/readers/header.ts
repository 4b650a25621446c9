import { isApiError, type ApiError } from '../../../src/index.ts';
import { misfit } from '../base/errors.ts';
import { peekEach } from './ahead.ts';
import type { CsvRow } from './csv-rows.ts';
import type { SourceRecord } from './records.ts';

/** Rows of a table, some of which may be blank or unreadable. */
export type TableRows = AsyncIterable<SourceRecord<CsvRow | ApiError | undefined>>;

/** The names of a table's columns, and the rows behind them. */
export interface HeadedRows {
  readonly header: readonly string[];
  readonly rows: TableRows;
}

/**
 * Takes the first row that is not blank as the one that names the columns. Throws an Error where that cannot
 * be read: the next row would be taken for it, and be no event.
 */
export async function takeHeader(rows: TableRows): Promise<HeadedRows> {
  const isRow = ({ value }: { readonly value: unknown }) => value !== undefined;
  const { first, all } = await peekEach(withoutBlank(rows), 1, isRow);
  const header = first[0]?.value;
  if (isApiError(header)) throw misfit(`the row that names the columns cannot be read: ${header.message}`);
  return { header: header?.cells ?? [], rows: withoutFirst(all) };
}

async function* withoutBlank(rows: TableRows): AsyncGenerator<SourceRecord<CsvRow | ApiError | undefined>> {
  for await (const row of rows) if (row.value !== undefined) yield row;
}

async function* withoutFirst<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
  let isFirst = true;
  for await (const each of all) {
    if (!isFirst) yield each;
    isFirst = false;
  }
}
