import type { Breakdown, BreakdownBody, TimeUnit } from '../../../../src/index.ts';
import { exactJson, TIME_UNITS } from '../../../../src/internal.ts';
import type { Group, GroupRow, Told } from '../../../../src/store-kit.ts';
import { valueText } from '../../print/printable.ts';
import type { TableColumn } from '../../print/table.ts';

/** A row of a breakdown: a group, or the rest, which has no key. */
export type KeyedRow = GroupRow & Partial<Pick<Group, 'key'>>;

/** A cell of two dimensions as a line, with the keys of its row and of its column. */
export interface CellLine extends Told {
  readonly row: string;
  readonly column: string;
}

/** Stands where the rest has no key. Values are written as JSON, so that none looks like it. */
const REST_TEXT = '(rest)';

/** A dimension of a breakdown: whether it is one of time, and how its keys are written. */
export interface PrintedDimension {
  readonly isTime: boolean;
  readonly keyText: (row: Pick<KeyedRow, 'key'>) => string;
  /** As the head of a column: of a day or more, its date. */
  readonly headText: (row: Pick<KeyedRow, 'key'>) => string;
}

const DATE_LENGTH = '2024-05-18'.length;

/** The units whose buckets have a date that no other has. */
const DATED: readonly unknown[] = ['day', 'week', 'month'] satisfies readonly TimeUnit[];

/** The dimensions of a body, rows and then columns. */
export function dimensionsOf({ by }: Pick<BreakdownBody, 'by'>): readonly PrintedDimension[] {
  return [by ?? []].flat().map((each) => {
    const isTime = TIME_UNITS.some((unit) => unit === each);
    const toText = (key: Group['key']) => (isTime ? String(key) : valueText(key));
    const keyText = ({ key }: Pick<KeyedRow, 'key'>) => (key === undefined ? REST_TEXT : toText(key));
    const dateText = ({ key }: Pick<KeyedRow, 'key'>) => String(key).slice(0, DATE_LENGTH);
    return { isTime, keyText, headText: DATED.includes(each) ? dateText : keyText };
  });
}

/** The head above the keys of a dimension. */
export const headOf = ({ isTime }: PrintedDimension) => (isTime ? 'FROM' : 'VALUE');

/** The rows to print: the groups, and the rest where it is asked for. */
export function rowsOf({ groups, rest }: Breakdown, { rest: isAsked }: BreakdownBody): readonly KeyedRow[] {
  return isAsked === true && rest !== undefined ? [...groups, rest] : groups;
}

/** The columns of a table for people: all of a row, its cells, and its rest where that is asked for. */
export function crossColumns(
  { columns = [] }: Breakdown,
  body: BreakdownBody,
  { headText }: PrintedDimension,
): readonly TableColumn<KeyedRow>[] {
  const toText = (told: Told | undefined) => (told === undefined ? '' : cellText(told, body));
  const cells = columns.map((column, i): TableColumn<KeyedRow> => ({
    ...{ head: headText(column), isNumber: true, text: ({ cells }) => toText(cells?.[i]) },
  }));
  const rest: TableColumn<KeyedRow> = { head: REST_TEXT, isNumber: true, text: (row) => toText(row.rest) };
  return [{ head: 'ALL', isNumber: true, text: toText }, ...cells, ...(body.rest === true ? [rest] : [])];
}

/** What a table shows of a cell: the first figure that is asked for, or else distinct values, or events. */
function cellText({ count, distinct, measures }: Told, body: BreakdownBody): string {
  const [measure] = body.measures ?? [];
  return measure === undefined ? String(distinct ?? count) : figureText(measures?.[0]?.[measure.take[0]!]);
}

/** The cells one by one, for programs. */
export function cellLines(
  found: Breakdown,
  body: BreakdownBody,
  [rows, columns]: readonly PrintedDimension[],
): readonly CellLine[] {
  return rowsOf(found, body).flatMap((row) => {
    const lines = found.columns!.map((column, i) => ({
      ...row.cells![i]!,
      column: columns!.keyText(column),
    }));
    const rest = body.rest === true ? [{ ...row.rest!, column: REST_TEXT }] : [];
    return [...lines, ...rest].map((line) => ({ ...line, row: rows!.keyText(row) }));
  });
}

/** A figure as the HTTP API writes it; nothing where it is null. */
export function figureText(figure: number | string | null | undefined): string {
  return typeof figure === 'number' ? exactJson(String(figure)) : (figure ?? '');
}
