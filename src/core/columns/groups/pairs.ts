import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import { eachSelected } from './blocks.ts';
import { weighScalars } from './distinct.ts';
import { meetPairs, type MetPairs } from './group-loops.ts';
import type { ChosenSpans, GroupTools } from './grouped.ts';
import type { Coded } from './reading.ts';
import { BLOCK_ROWS } from '../log/sizes.ts';

/** How many distinct scalars there are in all, and in each group. */
export interface DistinctFound {
  readonly whole: number;
  readonly inGroups: readonly number[];
}

/** A byte for each pair of a group and a value: more than so many would not stay near the processor. */
const PAIRS_MAX = 2_097_152;

/** How many pairs are looked at between two pauses. */
const STEP_PAIRS = 262_144;

/** Whether the pairs of as many groups, and of the rows outside of them, may have a byte each. */
export function arePairsFew(groups: number, values: number): boolean {
  return (groups + 1) * values <= PAIRS_MAX;
}

/** Which values the rows of each group have. */
type Pairs = Omit<MetPairs, 'counts'>;

/** Counts what was met of the groups that are given. */
export type TellPairs = (groups: readonly number[]) => Promise<DistinctFound>;

/** Rows whose distinct values are counted, group by group. */
export type DistinctGroups = ChosenSpans & { readonly distinct: Coded };

/** Notes the values of each group, and of the rows outside of all, in one walk; then counts. */
export async function countPairs(
  by: Coded,
  counted: DistinctGroups,
  groups: readonly number[],
  tools: GroupTools,
): Promise<DistinctFound> {
  // Rows outside of all groups are at the beginning.
  const pairs = createPairs(by, counted.distinct, groups.length + 1, tools);
  groups.forEach((code, i) => (pairs.placeOf[code] = (i + 1) * counted.distinct.count));
  reserveOrThrow(tools.reservation, BLOCK_ROWS + by.count * 4);
  await walk(by, counted, pairs, new Uint32Array(by.count), tools);
  return tell(pairs, counted.distinct, groups, tools);
}

/**
 * Notes the values of each code in the walk that counts the rows of each. It gives what counts them, for the
 * groups that are chosen by those counts.
 */
export async function countAllPairs(
  by: Coded,
  counted: DistinctGroups,
  counts: Uint32Array,
  tools: GroupTools,
): Promise<TellPairs> {
  const pairs = createPairs(by, counted.distinct, by.count, tools);
  for (let code = 0; code < by.count; code++) pairs.placeOf[code] = code * counted.distinct.count;
  await walk(by, counted, pairs, counts, tools);
  return (groups) => tell(pairs, counted.distinct, groups, tools);
}

function createPairs(by: Coded, distinct: Coded, groups: number, { reservation }: GroupTools): Pairs {
  reserveOrThrow(reservation, by.count * 4 + groups * distinct.count);
  return { met: new Uint8Array(groups * distinct.count), placeOf: new Uint32Array(by.count) };
}

/** Meets the pairs of all selected rows, and counts the rows of each code. */
function walk(
  by: Coded,
  { selectorAt, spans, distinct }: DistinctGroups,
  pairs: Pairs,
  counts: Uint32Array,
  { pacer }: GroupTools,
): Promise<void> {
  const met = { ...pairs, counts };
  return eachSelected(selectorAt, spans, pacer, (selection, block) =>
    meetPairs(met, by.codes[block.segment]!, distinct.codes[block.segment]!, selection, block),
  );
}

/** How many of the pairs that were met are of each of the groups, and of any. */
async function tell(
  { met, placeOf }: Pairs,
  { values, count: length }: Coded,
  groups: readonly number[],
  { reservation, pacer }: GroupTools,
): Promise<DistinctFound> {
  reserveOrThrow(reservation, length * 2);
  const weights = await weighScalars(values, length, pacer);
  const anywhere = new Uint8Array(length);
  /** By the place of a group. */
  const found = new Uint32Array(met.length / length);
  let whole = 0;
  for (let place = 0; place < met.length; place += length) {
    let own = 0;
    for (let code = 0; code < length; code++) {
      const isMet = met[place + code]! & weights[code]!;
      own += isMet;
      whole += isMet & ~anywhere[code]!;
      anywhere[code]! |= isMet;
      if (code % STEP_PAIRS === STEP_PAIRS - 1) await pacer.yieldIfDue();
    }
    await pacer.yieldIfDue();
    found[place / length] = own;
  }
  return { whole, inGroups: groups.map((code) => found[placeOf[code]! / length]!) };
}
