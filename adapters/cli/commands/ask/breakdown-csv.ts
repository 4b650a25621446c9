import type { Breakdown, BreakdownBody, Whole } from '../../../../src/index.ts';
import type { Group, Told } from '../../../../src/store-kit.ts';
import { toCsvLine } from '../../../../src/transport-kit.ts';
import { rowsOf, type KeyedRow } from './cross-table.ts';

type CellValue = Group['key'] | undefined;

/**
 * A breakdown as CSV, with a line for each group, or for each cell of two dimensions. A key is a value of a
 * property, as in an export: a text that reads as a number is quoted. The rest has no key.
 */
export function toBreakdownCsv(found: Breakdown | Whole, body: BreakdownBody): string {
  const dimensions = [body.by ?? []].flat();
  const head = [
    ...dimensions,
    'events',
    ...(body.distinct === undefined ? [] : [`distinct ${body.distinct}`]),
  ];
  const figures = (body.measures ?? []).flatMap(({ of, take }) => take.map((name) => `${name} ${of}`));
  const lines = 'groups' in found ? rowsOf(found, body).flatMap((row) => linesOf(row, found, body)) : [];
  const all = 'groups' in found ? lines : [valuesOf({ ...found, count: found.total }, body)];
  const isKey = (i: number) => i < dimensions.length;
  return [toCsvLine([...head, ...figures]), ...all.map((line) => toCsvLine(line, isKey))].join('');
}

function linesOf(
  row: KeyedRow,
  { columns }: Breakdown,
  body: BreakdownBody,
): readonly (readonly CellValue[])[] {
  if (columns === undefined) return [[row.key, ...valuesOf(row, body)]];
  const cells = columns.map(({ key }, i) => [row.key, key, ...valuesOf(row.cells![i]!, body)]);
  return body.rest === true ? [...cells, [row.key, undefined, ...valuesOf(row.rest!, body)]] : cells;
}

/** What is told of some events: how many, distinct values, and figures; nothing for one that is null. */
function valuesOf(told: Told, { distinct, measures = [] }: BreakdownBody): readonly CellValue[] {
  const figures = measures.flatMap(({ take }, i) =>
    take.map((name) => told.measures?.[i]?.[name] ?? undefined),
  );
  return [told.count, ...(distinct === undefined ? [] : [told.distinct]), ...figures];
}
