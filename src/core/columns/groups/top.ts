import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import { createFirstOf } from '../../base/first-of.ts';
import { compareRanked, type Ranking } from '../../query/ranking.ts';
import { segmentOf, type EventLog } from '../log/log.ts';
import { SEGMENT_ROWS } from '../log/sizes.ts';
import { walkDown } from '../selection/page.ts';
import { within } from '../selection/selector.ts';
import { toSpan } from '../selection/spans.ts';
import { countCodes } from './by-value.ts';
import type { GroupTools, OpenedRows, OrderedRows } from './grouped.ts';
import type { Coded } from './reading.ts';

/** How many values are looked at between two pauses. */
const STEP_VALUES = 16_384;

/** The rows to rank, with the numbers at the one path that was opened. */
export interface RankedRows extends OrderedRows, Pick<OpenedRows, 'isEveryRow' | 'size'> {
  readonly log: EventLog;
}

/**
 * The selected rows with the first numbers at a path, in their order; those with equal numbers newest first.
 * It counts the rows of each number, takes as many numbers as fill the answer, and finds the rows of these.
 */
export async function findTop(
  rows: RankedRows,
  { order, size }: Pick<Ranking, 'order' | 'size'>,
  tools: GroupTools,
): Promise<readonly number[]> {
  const coded = rows.coded[0]!;
  const { codes, values } = coded;
  const compare = compareRanked(order);
  const counts = await countCodes(coded, { ...rows, spans: rows.places.map(toSpan) }, tools);
  const first = await firstCodes(coded, counts, { order, size }, tools);
  const whole: number[] = [];
  let left = size;
  for (const code of first) {
    if (counts[code]! > left) break;
    whole.push(code);
    left -= counts[code]!;
  }
  // Of the next number only the newest rows are taken.
  const cut = left === 0 ? [] : first.slice(whole.length, whole.length + 1);
  const numberAt = (row: number) => values[codes[segmentOf(row)]![row % SEGMENT_ROWS]!] as number;
  const found = await rowsWith(whole, size - left, rows, tools);
  // Equal numbers stay newest first, because the sort is stable.
  const sorted = found.toSorted((a, b) => compare(numberAt(a), numberAt(b)));
  return [...sorted, ...(await rowsWith(cut, left, rows, tools))];
}

/** The codes of the first numbers that rows have, in their order: at most `size`, as each has a row. */
async function firstCodes(
  { values, count }: Coded,
  counts: Uint32Array,
  { order, size }: Pick<Ranking, 'order' | 'size'>,
  { pacer }: GroupTools,
): Promise<readonly number[]> {
  const compare = compareRanked(order);
  const first = createFirstOf<number>(size, (a, b) => compare(values[a] as number, values[b] as number));
  for (let code = 0; code < count; code++) {
    if (counts[code]! > 0 && typeof values[code] === 'number') first.add(code);
    if (code % STEP_VALUES === STEP_VALUES - 1) await pacer.yieldIfDue();
  }
  return first.sorted();
}

/** The newest selected rows with one of some codes, in the order of pages. */
async function rowsWith(
  chosen: readonly number[],
  most: number,
  { log, selectorAt, places, coded }: RankedRows,
  tools: GroupTools,
): Promise<readonly number[]> {
  if (chosen.length === 0) return [];
  const { codes, count } = coded[0]!;
  reserveOrThrow(tools.reservation, count);
  const mask = new Uint8Array(count);
  for (const code of chosen) mask[code] = 1;
  const own = within(selectorAt, { kind: 'leaf', codes, mask });
  return walkDown(places, { offset: 0, size: most }, { ...tools, log, selectorAt: own });
}
