import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { changesOf } from '../../../../adapters/dashboard/pages/explore/compared-groups.ts';
import { createEngine, type Breakdown } from '../../../../src/index.ts';
import { testResources } from '../../../support/resources.ts';

const NOW = Date.UTC(2026, 4, 19);
/** What events have at the path: values of which some look alike, and what is no group. */
const VALUES = ['1', 1, true, 'true', '', 'a', null, undefined, ['x'], { y: 1 }] as const;
type Value = (typeof VALUES)[number];

/** What an answer counts a value as. */
function kindOf(value: Value): string {
  if (value === undefined || value === null) return 'missing';
  if (typeof value === 'object') return Array.isArray(value) ? 'arrays' : 'objects';
  return JSON.stringify(value);
}

const countsOf = (values: readonly Value[]) => {
  const counts = new Map<string, number>();
  for (const kind of values.map(kindOf)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
};

/** The groups of events with these values, as the server answers them. */
async function answerOf(values: readonly Value[], size: number): Promise<Breakdown> {
  const resources = testResources({ runtime: { now: () => NOW } });
  const tenant = createEngine({ events: memoryEventStore({ resources }), resources }).tenant('t');
  const events = values.map((v, i) => ({
    ...{ eventName: 'viewed', userId: 'ada', insertId: `${i}`, eventTs: '2026-05-18T10:00:00.000Z' },
    properties: v === undefined ? {} : { v },
  }));
  if (events.length > 0) await tenant.append(events);
  return tenant.breakdown({ by: 'properties.v', size });
}

const arbitraryValues = fc.array(fc.constantFrom(...VALUES), { maxLength: 40 });

describe('changes of groups', () => {
  it('say of each value how many events it had, and which are new or gone', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryValues, arbitraryValues, async (now, then) => {
        const answer = await answerOf(now, 1000);
        const changes = changesOf(answer, await answerOf(then, 1000));
        const [counts, before] = [countsOf(now), countsOf(then)];
        for (const group of answer.groups) {
          const had = before.get(JSON.stringify(group.key)) ?? 0;
          const words = changes.ofGroup(group);
          if (had === 0) expect(words).toBe('new');
          else expect(words).toMatch(new RegExp(` from ${had}$`));
          if (had > 0) expect(words!.startsWith('+')).toBe(group.count > had);
        }
        for (const kind of ['missing', 'arrays', 'objects'] as const) {
          const [has, had] = [counts.get(kind) ?? 0, before.get(kind) ?? 0];
          const expected = has === 0 ? `gone, ${had} before` : had === 0 ? 'new' : undefined;
          const words = changes.ofUngrouped(kind);
          if (has === 0 && had === 0) expect(words).toBeUndefined();
          else if (expected !== undefined) expect(words).toBe(expected);
          else expect(words).toMatch(new RegExp(` from ${had}$`));
        }
        const isGroup = (kind: string) => !['missing', 'arrays', 'objects'].includes(kind);
        const gone = [...before.keys()].filter((kind) => isGroup(kind) && !counts.has(kind));
        expect(changes.gone.map(({ key }) => JSON.stringify(key)).sort()).toEqual(gone.sort());
        for (const group of changes.gone)
          expect(changes.ofGone(group)).toBe(`gone, ${before.get(JSON.stringify(group.key))} before`);
      }),
    );
  });

  it('call nothing new or gone by an answer that does not hold all groups', async () => {
    const part = await answerOf(['a', 'a', '1'], 1);
    const whole = await answerOf(['1', 'true'], 1000);
    expect(changesOf(part, whole).gone).toEqual([]);
    expect(changesOf(whole, part).ofGroup(whole.groups[0]!)).toBeUndefined();
  });
});
