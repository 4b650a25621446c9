import type { Pacer } from '../../bounds/scheduler.ts';
import type { Scalar } from '../../filter/operands.ts';
import { compareKeys, type Breakdown } from '../../query/grouping.ts';
import { MISSING } from '../column/dictionary.ts';
import { isScalar } from './distinct.ts';
import type { Coded } from './reading.ts';

/** How much of a dictionary is looked at between two pauses: characters, and so many for each value. */
const STEP_LOOKS = 1_048_576;
const VALUE_LOOKS = 16;

/** What the groups of values are, before anything else is told of each. */
export interface GroupSummary extends Pick<
  Breakdown,
  'total' | 'missing' | 'arrays' | 'objects' | 'groupsTotal'
> {
  /** The codes of the groups that are given, in their order. */
  readonly given: readonly number[];
}

/** The order of groups: whether that of one code comes before that of another. */
export type IsBefore = (code: number, other: number) => boolean;

/** The order by count, the greatest first, and then by key. */
function byCount(values: Coded['values'], counts: ArrayLike<number>): IsBefore {
  return (code, other) =>
    counts[code] === counts[other]
      ? compareKeys(values[code] as Scalar, values[other] as Scalar) < 0
      : counts[code]! > counts[other]!;
}

/** Sums up by kind of value, and chooses the first groups: by count, or in another order. */
export async function summarize(
  { values, count }: Pick<Coded, 'values' | 'count'>,
  counts: ArrayLike<number>,
  size: number,
  pacer: Pacer,
  isBefore: IsBefore = byCount(values, counts),
): Promise<GroupSummary> {
  const given: number[] = [];
  let [total, arrays, objects, groupsTotal, looks] = [0, 0, 0, 0, 0];
  for (let code = 0; code < count; code++) {
    looks += VALUE_LOOKS;
    const value = values[code];
    if (counts[code]! > 0) {
      total += counts[code]!;
      if (Array.isArray(value)) arrays += counts[code]!;
      else if (isScalar(value)) {
        groupsTotal += 1;
        looks += typeof value === 'string' ? value.length : 0;
        insert(given, code, size, isBefore);
      } else if (code !== MISSING) objects += counts[code]!;
    }
    if (looks < STEP_LOOKS) continue;
    looks = 0;
    await pacer.yieldIfDue();
  }
  return { total, missing: counts[MISSING]!, arrays, objects, groupsTotal, given };
}

/** Adds to the first `size` of an order, where it is one of them. */
function insert(first: number[], code: number, size: number, isBefore: IsBefore): void {
  if (first.length === size && !isBefore(code, first[size - 1]!)) return;
  let [low, high] = [0, first.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(code, first[middle]!)) high = middle;
    else low = middle + 1;
  }
  first.splice(low, 0, code);
  if (first.length > size) first.pop();
}
