import type { MetricValue } from 'prom-client';

/** Labels with their values, as prom-client takes them. */
export type Labels = Readonly<Record<string, string>>;

/** A value of a metric, as prom-client writes it. */
export type Value = MetricValue<string> & { readonly metricName?: string };

/** The series of one metric: what was counted under each combination of labels. */
export interface Series {
  /** Adds to a counter, or a value to a histogram. */
  add(labels: Labels, value: number): void;
  /** What was counted so far. */
  values(): Value[];
  /** Forgets what was counted. */
  reset(): void;
}

/** What was counted under one combination of labels. */
interface Counted {
  readonly labels: Labels;
  /** How many values each bucket of a histogram got; the last one takes those above all bounds. */
  readonly buckets: Float64Array;
  sum: number;
}

/** A step on the way to a combination of labels: one for each label, in the order of the table. */
type Level = Map<string, Level | Counted>;

/**
 * Makes the series of a counter, or of a histogram with bounds. Counting is on the way of every request:
 * prom-client makes and checks a text of all labels for each value, which takes ten times as long as this.
 */
export function createSeries(name: string, labelNames: readonly string[], bounds: readonly number[]): Series {
  const root: Level = new Map();
  const all: Counted[] = [];
  const begin = (labels: Labels): Counted => {
    const counted = { labels: { ...labels }, buckets: new Float64Array(bounds.length + 1), sum: 0 };
    all.push(counted);
    return counted;
  };
  let unlabelled: Counted | undefined;

  function find(labels: Labels): Counted {
    if (labelNames.length === 0) return (unlabelled ??= begin(labels));
    let level = root;
    const last = labelNames.length - 1;
    for (let i = 0; i < last; i++) {
      const value = labels[labelNames[i]!]!;
      let next = level.get(value) as Level | undefined;
      if (next === undefined) level.set(value, (next = new Map()));
      level = next;
    }
    const value = labels[labelNames[last]!]!;
    let counted = level.get(value) as Counted | undefined;
    if (counted === undefined) level.set(value, (counted = begin(labels)));
    return counted;
  }

  function bucketValues({ labels, buckets, sum }: Counted): Value[] {
    let count = 0;
    const inBuckets = [...bounds, '+Inf'].map((le, i) => ({
      ...{ metricName: `${name}_bucket`, labels: { ...labels, le } },
      value: (count += buckets[i]!),
    }));
    return [
      ...inBuckets,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }

  const series: Series = {
    add(labels, value) {
      const counted = find(labels);
      counted.sum += value;
      let bucket = 0;
      while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1;
      counted.buckets[bucket]! += 1;
    },
    values: () =>
      bounds.length === 0
        ? all.map(({ labels, sum }) => ({ labels, value: sum }))
        : all.flatMap(bucketValues),
    reset() {
      root.clear();
      all.length = 0;
      unlabelled = labelNames.length === 0 ? begin({}) : undefined;
    },
  };
  // What has no labels is 0 before it is counted.
  series.reset();
  return series;
}
