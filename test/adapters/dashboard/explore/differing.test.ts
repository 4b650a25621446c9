import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AskedQuestion } from '../../../../adapters/dashboard/pages/explore/asked-question.ts';
import {
  around,
  otherTime,
  questionOfDiffering,
} from '../../../../adapters/dashboard/pages/explore/differing.ts';
import { intervalText } from '../../../../adapters/dashboard/pages/time/against.ts';
import { rangeAsked, type Preset } from '../../../../adapters/dashboard/pages/time/asked.ts';
import type { TimeRange } from '../../../../adapters/dashboard/pages/time/unit.ts';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { createEngine, type CountBody } from '../../../../src/index.ts';
import { testResources } from '../../../support/resources.ts';

/** A Wednesday noon, with an event in each hour of the three weeks before. */
const NOW = Date.UTC(2026, 4, 20, 12);
const HOUR_MS = 3_600_000;
const log = Array.from({ length: 24 * 21 }, (_, i) => ({
  ...{ eventName: i % 3 === 0 ? 'paid' : 'viewed', userId: 'u', insertId: `id-${i}` },
  ...{ eventTs: NOW - (i + 0.5) * HOUR_MS, properties: { part: i % 2 === 0 ? 'even' : 'odd' } },
}));
const resources = testResources();
const shop = createEngine({ events: memoryEventStore({ resources }), resources }).tenant('shop');
await shop.append(log);

const askedAt = (range: TimeRange, preset: Preset | undefined, body: CountBody): AskedQuestion => ({
  ...{ body, range, preset, zone: 'UTC', since: NOW, subject: '' },
});
const lies = ({ from, until }: TimeRange) => {
  return ({ eventTs }: { readonly eventTs: number }) => eventTs >= from && eventTs < until;
};

const BODIES: readonly CountBody[] = [
  {},
  { event: 'paid' },
  { filterSet: [{ property: 'properties.part', comparison: 'EQUALS', value: 'even' }] },
];
const matches = ({ event, filterSet }: CountBody) => {
  return ({ eventName, properties }: (typeof log)[number]) =>
    (event === undefined || eventName === event) && (filterSet === undefined || properties.part === 'even');
};
const bodies = fc.constantFrom(...BODIES);

it('what differs from the period before has its events and no others', async () => {
  const presets = fc.constantFrom<Preset>('24h', '7d', 'today', 'yesterday', 'week', 'month');
  await fc.assert(
    fc.asyncProperty(presets, bodies, async (preset, body) => {
      const range = rangeAsked(new URLSearchParams({ range: preset }), NOW, '24h', 'UTC');
      const asked = askedAt(range, preset, body);
      const found = await shop.compare(questionOfDiffering(asked, 'before')!);
      const matching = log.filter(matches(body));
      const before = otherTime(asked, 'before')!;
      expect([found.selected, found.baseline]).toEqual([
        matching.filter(lies(range)).length,
        matching.filter(lies(before)).length,
      ]);
    }),
  );
});

it('what differs from the rest of a time has all of it but the range shown', async () => {
  const hours = fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 100 }));
  const ranges = hours.map(([begin, length]) => {
    const until = NOW - begin * HOUR_MS;
    return { from: until - length * HOUR_MS, until };
  });
  await fc.assert(
    fc.asyncProperty(ranges, ranges, bodies, async (range, other, body) => {
      const question = questionOfDiffering(askedAt(range, undefined, body), intervalText(other));
      const found = await shop.compare(question!);
      const matching = log.filter(matches(body));
      const others = matching.filter((event) => lies(other)(event) && !lies(range)(event));
      expect([found.selected, found.baseline]).toEqual([matching.filter(lies(range)).length, others.length]);
    }),
  );
});

it('what differs from the events that do not match has them, and nothing where all match', async () => {
  const range = { from: NOW - 48 * HOUR_MS, until: NOW };
  for (const body of BODIES.slice(1)) {
    for (const each of [range, { from: -Infinity, until: Infinity }]) {
      const found = await shop.compare(questionOfDiffering(askedAt(each, undefined, body), 'unmatched')!);
      const shown = log.filter(lies(each));
      const matching = shown.filter(matches(body)).length;
      expect([found.selected, found.baseline]).toEqual([matching, shown.length - matching]);
    }
  }
  expect(questionOfDiffering(askedAt(range, undefined, {}), 'unmatched')).toBe(undefined);
});

const hour = (h: number) => (Number.isFinite(h) ? Date.UTC(2026, 0, 1, h) : h);
const shown = (from: number, until: number) => ({
  ...{ range: { from: hour(from), until: hour(until) }, preset: undefined, zone: 'UTC', since: hour(48) },
});

it('the other time is the period before, the interval, or the time shown itself', () => {
  expect(otherTime(shown(10, 12), 'before')).toEqual({ from: hour(8), until: hour(10) });
  const day = { from: hour(0), until: hour(24) };
  expect(otherTime(shown(10, 12), intervalText(day))).toEqual(day);
  expect(otherTime(shown(10, 12), 'unmatched')).toEqual({ from: hour(10), until: hour(12) });
  expect(otherTime(shown(-Infinity, 12), 'before')).toBe(undefined);
  expect(around({ from: hour(30), until: hour(31) }, day)).toEqual({ from: hour(0), until: hour(31) });
});
