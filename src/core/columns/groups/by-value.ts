import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import type { Scalar } from '../../filter/operands.ts';
import { toKey, type Breakdown, type GroupPath, type Grouping } from '../../query/grouping.ts';
import type { Codes } from '../log/log.ts';
import { eachPossible } from './blocks.ts';
import { addLanes, createLanes, leaveOutErased, tallyCodes, tallyNarrow } from './group-loops.ts';
import type { ChosenSpans, Grouped, GroupTools, OpenedRows } from './grouped.ts';
import type { Coded } from './reading.ts';
import {
  arePairsFew,
  countAllPairs,
  countPairs,
  type DistinctGroups,
  type DistinctFound,
  type TellPairs,
} from './pairs.ts';
import { tellParts } from './measured.ts';
import type { TablePart } from './parted.ts';
import { eachPlacedByValues } from './row-places.ts';
import { select } from '../selection/select.ts';
import { summarize } from './summary.ts';
import { BLOCK_ROWS } from '../log/sizes.ts';

/** Groups rows by the values of a path. It counts codes, and looks into the groups of the answer only. */
export async function breakDownByValue(
  by: Coded,
  grouped: Pick<Grouped, 'selectorAt' | 'spans' | 'distinct'> & Pick<OpenedRows, 'isEveryRow' | 'size'>,
  { by: path, size }: Grouping & { readonly by: GroupPath },
  tools: GroupTools,
): Promise<Breakdown> {
  const { reservation, pacer } = tools;
  const { selectorAt, spans, distinct } = grouped;
  reserveOrThrow(reservation, by.count * 4);
  const counts = new Uint32Array(by.count);
  const known = grouped.isEveryRow ? by.tallyAll(grouped.size) : undefined;
  let tellPairs: TellPairs | undefined;
  if (known !== undefined) counts.set(known.subarray(0, by.count));
  else if (distinct !== undefined && by.count <= NARROW_CODES && arePairsFew(by.count, distinct.count))
    tellPairs = await countAllPairs(by, { selectorAt, spans, distinct }, counts, tools);
  else await countGroups(by, grouped, counts, tools);
  const { given, ...tally } = await summarize(by, counts, size, pacer);
  const inGroups = given.map((code) => counts[code]!);
  const { total } = tally;
  const found =
    distinct &&
    (tellPairs === undefined
      ? await countDistinct(by, { selectorAt, spans, distinct }, { given, inGroups, total }, tools)
      : await tellPairs(given));
  const groups = given.map((code, i) => ({
    key: toKey(path, by.values[code] as Scalar),
    count: inGroups[i]!,
    ...(found === undefined ? {} : { distinct: found.inGroups[i]! }),
  }));
  return { ...tally, groups, ...(found === undefined ? {} : { distinct: found.whole }) };
}

/** How many of the selected rows have each code. */
export async function countCodes(
  coded: Coded,
  { selectorAt, spans, isEveryRow, size }: ChosenSpans & Pick<OpenedRows, 'isEveryRow' | 'size'>,
  tools: GroupTools,
): Promise<Uint32Array> {
  reserveOrThrow(tools.reservation, coded.count * 4);
  const known = isEveryRow ? coded.tallyAll(size) : undefined;
  const counts = new Uint32Array(coded.count);
  if (known !== undefined) counts.set(known.subarray(0, coded.count));
  else await countGroups(coded, { selectorAt, spans }, counts, tools);
  return counts;
}

/** Counts how many of the selected rows have each code. */
async function countGroups(
  { codes }: Coded,
  { selectorAt, spans }: ChosenSpans,
  counts: Uint32Array,
  { reservation, pacer }: GroupTools,
): Promise<void> {
  reserveOrThrow(reservation, BLOCK_ROWS);
  const lanes = createLanes();
  const selection = new Uint8Array(BLOCK_ROWS);
  await eachPossible(selectorAt, spans, pacer, (block) => {
    const own = codes[block.segment]!;
    const selector = selectorAt(block.segment);
    const [leaf, erased] =
      selector.kind === 'live' ? [selector.of, selector.erased[block.segment]] : [selector];
    const tested = leaf.kind === 'leaf' && !block.rows ? leaf.codes[block.segment]! : undefined;
    if (leaf.kind === 'leaf' && tested && isNarrow(own) && isNarrow(tested)) {
      tallyNarrow(lanes, own, tested, leaf.mask, block);
      return erased && leaveOutErased(lanes, { codes: own, tested, mask: leaf.mask, erased }, block);
    }
    select(selector, selection, block);
    tallyCodes(counts, own, selection, block);
  });
  addLanes(counts, lanes);
}

/** The narrowest codes have so many values. */
const NARROW_CODES = 256;

function isNarrow(codes: Codes): codes is Uint8Array {
  return codes instanceof Uint8Array;
}

/** The groups that are given, and how many rows each has, and those outside of all. */
interface GivenGroups {
  readonly given: readonly number[];
  readonly inGroups: readonly number[];
  readonly total: number;
}

/** How many distinct scalars all rows have, and each of the groups. */
async function countDistinct(
  by: Coded,
  counted: DistinctGroups,
  { given, inGroups, total }: GivenGroups,
  tools: GroupTools,
): Promise<DistinctFound> {
  if (arePairsFew(given.length, counted.distinct.count)) return countPairs(by, counted, given, tools);
  reserveOrThrow(tools.reservation, by.count * 4);
  // Rows outside of all groups come behind them.
  const placeOf = new Uint32Array(by.count).fill(given.length);
  given.forEach((code, i) => (placeOf[code] = i));
  const outside = inGroups.reduce((left, count) => left - count, total);
  const rows = {
    eachPlaced: eachPlacedByValues({ coded: by, placeOf }, undefined, counted, tools),
    counts: Uint32Array.of(...inGroups, outside),
    parts: [[[0, given.length + 1]], ...given.map((_, i): TablePart => [[i, i + 1]])] as const,
  };
  const [whole, ...told] = await tellParts({ distinct: counted.distinct, measured: [] }, rows, tools);
  return { whole: whole!.distinct!, inGroups: told.map(({ distinct }) => distinct!) };
}
