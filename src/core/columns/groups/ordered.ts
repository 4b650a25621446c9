import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import type { Scalar } from '../../filter/operands.ts';
import { compareKeys, type GroupOrder } from '../../query/grouping.ts';
import { isScalar } from './distinct.ts';
import type { Grouped, GroupTools } from './grouped.ts';
import { createNumberTally, readNumbers } from './numbers.ts';
import { createPartVisits, startsOf, type TablePart } from './parted.ts';
import type { Coded } from './reading.ts';
import { eachPlacedByValues } from './row-places.ts';
import type { IsBefore } from './summary.ts';

/** The values of a dimension, how many rows have each, and the figure by which they are ordered. */
interface Ordered {
  readonly coded: Coded;
  readonly counts: Uint32Array;
  readonly orderBy: GroupOrder;
}

/** The order of groups by a figure, the greatest first: it is taken of every group there is. */
export async function orderByFigure(
  rows: Grouped,
  { coded, counts, orderBy }: Ordered,
  tools: GroupTools,
): Promise<IsBefore> {
  const { measure, coded: measured } = rows.measured[orderBy.measure]!;
  const take = measure.take.filter(({ name }) => name === orderBy.take);
  reserveOrThrow(tools.reservation, coded.count * 12);
  const placeOf = Uint32Array.from({ length: coded.count }, (_, code) => code);
  /** By code; NaN for none. */
  const figures = new Float64Array(coded.count).fill(NaN);
  const eachPlaced = eachPlacedByValues({ coded, placeOf }, undefined, rows, tools);
  const visitParts = createPartVisits(eachPlaced, await startsOf(counts, tools), tools);
  const tally = createNumberTally(
    await readNumbers({ measure: { ...measure, take }, coded: measured }, tools),
    tools,
  );
  const isGroup = (code: number) => counts[code]! > 0 && isScalar(coded.values[code]);
  let next = 0;
  const skip = () => {
    while (next < coded.count && !isGroup(next)) next += 1;
  };
  function* parts(): Generator<TablePart> {
    for (skip(); next < coded.count; next += 1, skip()) yield [[next, next + 1]];
  }
  await visitParts(measured, parts(), {
    add: (codes) => tally.add(codes),
    end: async () => {
      const figure = (await tally.end())[orderBy.take] ?? NaN;
      figures[next] = typeof figure === 'string' ? Date.parse(figure) : figure;
    },
  });
  return (code, other) => {
    const [one, two] = [figures[code]!, figures[other]!];
    if (one > two || (!Number.isNaN(one) && Number.isNaN(two))) return true;
    if (one < two || (Number.isNaN(one) && !Number.isNaN(two))) return false;
    return compareKeys(coded.values[code] as Scalar, coded.values[other] as Scalar) < 0;
  };
}
