/** Numbers that ascend, as ranges: damage may concern more rows than memory has room for. */
export interface Ranges {
  /** How many numbers they are. */
  readonly count: number;
  /** Adds the numbers from one to another, both above all that were added before. */
  add(first: number, last?: number): void;
  /** As text: `3, 7 to 9 and 12`; of many ranges only the first are named. */
  text(): string;
}

/** How many ranges a sentence names. */
const NAMED_MAX = 10;

/** Makes ranges without a number. */
export function createRanges(): Ranges {
  /** The first ranges, and the last one, which may still grow. */
  const named: [first: number, last: number][] = [];
  let open: [first: number, last: number] | undefined;
  let ranges = 0;
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(first, last = first) {
      count += last - first + 1;
      if (open?.[1] === first - 1) return void (open[1] = last);
      open = [first, last];
      ranges += 1;
      if (named.length < NAMED_MAX) named.push(open);
    },
    text() {
      const texts = named.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`));
      const more = ranges - named.length;
      return more > 0 ? `${texts.join(', ')} and ${more} more ranges` : texts.join(', ');
    },
  };
}

/** Numbers that ascend, as text. */
export function describeRanges(numbers: readonly number[]): string {
  const ranges = createRanges();
  for (const number of numbers) ranges.add(number);
  return ranges.text();
}
