import type { Pacer } from '../../bounds/scheduler.ts';

/** How many numbers are sorted or merged between two pauses. */
const STEP_NUMBERS = 32_768;

/** Sorts numbers, with pauses. It takes the same room once more, which the caller has booked. */
export async function sortNumbers(numbers: Float64Array<ArrayBuffer>, pacer: Pacer): Promise<Float64Array> {
  for (let from = 0; from < numbers.length; from += STEP_NUMBERS) {
    numbers.subarray(from, from + STEP_NUMBERS).sort();
    await pacer.yieldIfDue();
  }
  let [sorted, room] = [numbers, new Float64Array(numbers.length <= STEP_NUMBERS ? 0 : numbers.length)];
  for (let run = STEP_NUMBERS; run < numbers.length; run *= 2) {
    for (let from = 0; from < numbers.length; from += 2 * run)
      await merge(sorted, room, { from, run }, pacer);
    [sorted, room] = [room, sorted];
  }
  return sorted;
}

/** Merges two sorted runs that follow each other. */
async function merge(
  sorted: Float64Array,
  merged: Float64Array,
  { from, run }: { readonly from: number; readonly run: number },
  pacer: Pacer,
): Promise<void> {
  const middle = Math.min(from + run, sorted.length);
  const end = Math.min(middle + run, sorted.length);
  let [left, right] = [from, middle];
  for (let place = from; place < end;) {
    for (const stop = Math.min(end, place + STEP_NUMBERS); place < stop; place++) {
      const isLeft = right >= end || (left < middle && sorted[left]! <= sorted[right]!);
      merged[place] = isLeft ? sorted[left++]! : sorted[right++]!;
    }
    await pacer.yieldIfDue();
  }
}

/**
 * The place of a number in sorted ones that have it. It has a loop of its own, because `binarySearch` with a
 * function takes 1.8 times as long for a million numbers.
 */
export function placeIn(sorted: Float64Array, number: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
