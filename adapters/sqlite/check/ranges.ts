/** Numbers that ascend, as text: `3, 7 to 9 and 12`; of many ranges only the first are named. */
export function describeRanges(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const open = ranges.at(-1);
    if (open?.[1] === number - 1) open[1] = number;
    else ranges.push([number, number]);
  }
  const named = ranges
    .slice(0, NAMED_MAX)
    .map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
  const more = ranges.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more ranges` : named.join(', ');
}

/** How many ranges a sentence names. */
const NAMED_MAX = 10;
