import { describe, expect, it } from 'vitest';
import { createScheduler } from '../../../src/core/bounds/scheduler.ts';
import { createExplain } from '../../../src/core/explain/explanation.ts';
import type { Properties, Signal } from '../../../src/index.ts';
import { parseQueryBody } from '../../../src/internal.ts';

const scheduler = createScheduler({ now: () => 0, nextTurn: () => Promise.resolve() });
const test = (property: string) => ({ property, comparison: 'EQUALS', value: 1 });

/** What is explained of a body, and how often the store was asked for the paths of events. */
async function explain(body: unknown, known: readonly string[] = [], signal?: Signal) {
  const asked: (Signal | undefined)[] = [];
  const properties = known.map((path) => ({ path, types: { number: 1 }, examples: [] }));
  const explanation = await createExplain({
    scheduler,
    zones: { dataVersion: '2025c' },
    answers: {
      properties: (_tenantId, _event, seen): Promise<Properties> => {
        asked.push(seen);
        return Promise.resolve({ properties, more: false });
      },
      plan: () => Promise.resolve({ by: 'store' }),
    },
  })('t', parseQueryBody(body), signal);
  return { ...explanation, asked };
}

describe('what explains a query', () => {
  it('reads no event where no path is named', async () => {
    const { asked } = await explain({ event: 'a', filterSet: [test('userId')] });
    expect(asked).toEqual([]);
  });

  it('says which zone its days are of, and which data about zones there is', async () => {
    const days = { after: '2024-05-18', timeZone: 'asia/calcutta' };
    expect(await explain(days)).toMatchObject({
      ...{ timeZone: 'asia/calcutta', timeZoneData: '2025c' },
      query: { filterSet: [{ value: '2024-05-17T18:30:00.000Z' }] },
    });
    expect(Object.keys(await explain({ after: '2024-05-18' }))).not.toContain('timeZone');
  });

  it('looks for paths only as long as somebody waits', async () => {
    const signal = { aborted: false };
    const { asked } = await explain({ filterSet: [test('properties.a')] }, [], signal);
    expect(asked).toEqual([signal]);
    const gone = explain({ filterSet: [test('properties.a')] }, [], { aborted: true });
    await expect(gone).rejects.toThrow();
  });

  it('compares ten unknown paths with those that are known', async () => {
    const filterSet = Array.from({ length: 12 }, (_, i) => test(`properties.a${i}`));
    const { unknownPaths } = await explain({ filterSet }, ['properties.a']);
    expect(unknownPaths.map(({ nearest }) => nearest.length)).toEqual([...Array<number>(10).fill(1), 0, 0]);
  });
});
