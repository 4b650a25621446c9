import { Counter, Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createSeries } from '../../../adapters/prometheus/series.ts';
import { createRandom } from '../../support/random.ts';

const BOUNDS = [1, 2.5, 10];
const LABELS = ['method', 'route'];
const random = createRandom(3);
const counts = Array.from({ length: 500 }, () => ({
  labels: { method: random.pick(['GET', 'POST']), route: random.pick(['/a', '/b', 'unknown']) },
  // Values on the bounds among them, and above all.
  value: random.pick([0, 0.5, 1, 2, 2.5, 7, 10, 11, 1e6]),
}));

/** What a metric shows, whichever order its series have. */
const sorted = (values: readonly object[]) =>
  values.map((value) => JSON.stringify({ ...value, exemplar: undefined }, byName)).sort();
const byName = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value;

it('a counter counts as that of prom-client', async () => {
  const series = createSeries('c', LABELS, []);
  const theirs = new Counter({ name: 'c', help: 'c', labelNames: LABELS, registers: [new Registry()] });
  for (const { labels, value } of counts) {
    series.add(labels, value);
    theirs.inc(labels, value);
  }
  expect(sorted(series.values())).toEqual(sorted((await theirs.get()).values));
});

it.each([[LABELS], [[]]])(
  'a histogram with the labels %j counts as that of prom-client',
  async (labelNames) => {
    const series = createSeries('h', labelNames, BOUNDS);
    const options = { name: 'h', help: 'h', labelNames, buckets: BOUNDS, registers: [new Registry()] };
    const theirs = new Histogram(options);
    for (const { labels, value } of counts) {
      const own = labelNames.length === 0 ? {} : labels;
      series.add(own, value);
      theirs.observe(own, value);
    }
    expect(sorted(series.values())).toEqual(sorted((await theirs.get()).values));
  },
);

it('what has no labels is 0 before it is counted, and again after a reset', () => {
  const series = createSeries('c', [], []);
  expect(series.values()).toEqual([{ labels: {}, value: 0 }]);
  series.add({}, 2);
  expect(series.values()).toEqual([{ labels: {}, value: 2 }]);
  series.reset();
  expect(series.values()).toEqual([{ labels: {}, value: 0 }]);
});
