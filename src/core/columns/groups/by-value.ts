import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import type { Scalar } from '../../filter/operands.ts';
import { toKey, type Breakdown, type GroupPath, type Grouping } from '../../query/grouping.ts';
import type { Codes } from '../log/log.ts';
import { eachPossible, eachSelected } from './blocks.ts';
import { createArrangement, type VisitGroups } from './arranged.ts';
import { createDistinctCounter, type DistinctCounter } from './distinct.ts';
import {
  addLanes,
  collectCodes,
  createLanes,
  leaveOutErased,
  tallyCodes,
  tallyNarrow,
} from './group-loops.ts';
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
  const visitGroups = createArrangement({ by, groups: given, counts }, { selectorAt, spans }, tools);
  const found =
    distinct &&
    (tellPairs === undefined
      ? await countDistinct(by, { selectorAt, spans, distinct }, given, visitGroups, tools)
      : await tellPairs(given));
  const groups = given.map((code, i) => ({
    key: toKey(path, by.values[code] as Scalar),
    count: counts[code]!,
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

/** How many distinct scalars all rows have, and each of the groups. */
async function countDistinct(
  by: Coded,
  counted: DistinctGroups,
  groups: readonly number[],
  visitGroups: VisitGroups,
  tools: GroupTools,
): Promise<DistinctFound> {
  const { selectorAt, spans, distinct } = counted;
  if (arePairsFew(groups.length, distinct.count)) return countPairs(by, counted, groups, tools);
  const counter = await createDistinctCounter(distinct, tools);
  const block = new Uint32Array(BLOCK_ROWS);
  counter.begin();
  await eachSelected(selectorAt, spans, tools.pacer, (selection, rows) =>
    counter.add(block.subarray(0, collectCodes(block, distinct.codes[rows.segment]!, selection, rows))),
  );
  const whole = counter.found;
  return { whole, inGroups: await countInGroups(counted, counter, visitGroups) };
}

/** Counts the distinct scalars of each group. */
async function countInGroups(
  { distinct }: DistinctGroups,
  counter: DistinctCounter,
  visitGroups: VisitGroups,
): Promise<number[]> {
  const found: number[] = [];
  await visitGroups(distinct, {
    begin: () => counter.begin(),
    add: (codes) => counter.add(codes),
    end: () => void found.push(counter.found),
  });
  return found;
}
