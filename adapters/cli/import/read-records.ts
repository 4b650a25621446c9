import { misuse } from '../process/errors.ts';
import { isOwnHeader, toOwnEvents } from './mappings/own-csv.ts';
import { parseCsvLine, toCsvRows } from './readers/csv-rows.ts';
import { peek } from './readers/head.ts';
import { toJsonItems } from './readers/json-items.ts';
import { toJsonValues } from './readers/json-values.ts';
import { LINE_BYTES_MAX, toLines, toLinesWithReturns, unpack } from './readers/lines.ts';
import type { RecordUnit, SourceRecord } from './readers/records.ts';

/** The records of a file: each is what a client could send as an event, or an ApiError. */
export interface ImportRecords {
  readonly unit: RecordUnit;
  readonly records: AsyncIterable<SourceRecord>;
}

const NEWLINE = 0x0a;
/** The header of a table: names separated by commas, semicolons or tabs. */
const CSV_HEAD = /^("[\w. -]+"|[\w. -]+)([,;\t]("[\w. -]*"|[\w. -]*))+$/;

/**
 * Finds out what bytes are by how they begin, and reads their records: NDJSON, a JSON array, or CSV as
 * `export` writes it; plain or gzip. Throws an Error for another table.
 */
export async function readRecords(source: AsyncIterable<Buffer>): Promise<ImportRecords> {
  const { head, all } = await peek(unpack(source), hasFirstLine);
  const text = textOf(head);
  if (text.startsWith('[')) return { unit: 'item', records: toJsonValues(toJsonItems(all), 'item') };
  const [first = ''] = text.split(/\r?\n/, 1);
  if (isOwnHeader(parseCsvLine(first, ',') ?? []))
    return { unit: 'line', records: toOwnEvents(toCsvRows(toLinesWithReturns(all), ',')) };
  if (CSV_HEAD.test(first)) throw misuse(`this looks like CSV of another shape; ${WANTED}`);
  return { unit: 'line', records: toJsonValues(toLines(all), 'line') };
}

const WANTED = 'import takes an event a line, {"eventName": …, "userId": …}, or CSV as export writes it';

function hasFirstLine(head: Buffer): boolean {
  if (head.length >= LINE_BYTES_MAX) return true;
  return head.includes(NEWLINE) && textOf(head) !== '';
}

/** The text without a byte order mark and without blanks before it. */
function textOf(head: Buffer): string {
  return head.toString('utf8', 0, LINE_BYTES_MAX).trimStart();
}
