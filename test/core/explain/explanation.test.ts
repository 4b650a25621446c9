import { describe, expect, it } from 'vitest';
import { createScheduler } from '../../../src/core/bounds/scheduler.ts';
import { createExplain } from '../../../src/core/explain/explanation.ts';
import { readPathsOf } from '../../../src/core/query/answer-plan.ts';
import type { Properties, Signal } from '../../../src/index.ts';
import { parseExplainBody } from '../../../src/core/explain/asked.ts';

const scheduler = createScheduler({ now: () => 0, nextTurn: () => Promise.resolve() });
const test = (property: string) => ({ property, comparison: 'EQUALS', value: 1 });

/** What is explained of a body, and how often the store was asked for the paths of events. */
async function explain(
  body: unknown,
  known: readonly string[] = [],
  signal?: Signal,
  { strings = false } = {},
) {
  const asked: (Signal | undefined)[] = [];
  const properties = known.map((path) => ({
    ...{ path, types: strings ? { string: 1 } : { number: 1 }, examples: [] },
  }));
  const explanation = await createExplain({
    scheduler,
    zones: { dataVersion: '2025c' },
    answers: {
      properties: (_tenantId, _event, seen): Promise<Properties> => {
        asked.push(seen);
        return Promise.resolve({ properties, more: false });
      },
      plan: (_tenantId, reading) => Promise.resolve({ by: 'store', paths: readPathsOf(reading) }),
    },
  })('t', parseExplainBody(body), signal);
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
      body: { filterSet: [{ value: '2024-05-17T18:30:00.000Z' }] },
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

  it('says into how many pieces time is cut, and what bounds the answer', async () => {
    const days = {
      question: 'breakdown',
      after: '2024-10-27',
      before: '2024-10-28',
      timeZone: 'Europe/Berlin',
    };
    expect(await explain({ ...days, by: 'hour' })).toMatchObject({ pieces: 49, atMost: { groups: 49 } });
    expect(await explain({ ...days, by: ['hour', 'userId'], size: [9, 7] })).toMatchObject({
      ...{ pieces: 49, atMost: { groups: 9, columns: 7, cells: 63 } },
    });
    const open = await explain({ ...days, after: undefined, by: 'hour' });
    expect(open).toMatchObject({ atMost: { groups: 2000 } });
    expect(Object.keys(open)).not.toContain('pieces');
    expect(Object.keys(await explain({ question: 'count' }))).not.toContain('atMost');
    const steps = [{}, {}];
    expect(await explain({ ...days, question: 'retention', steps, unit: 'day' })).toMatchObject({
      ...{ pieces: 2, atMost: { cohorts: 2, periods: 8 } },
    });
    const long = { question: 'retention', steps, unit: 'day', after: '2001-01-01', before: '2024-01-01' };
    expect(await explain(long)).toMatchObject({ atMost: { cohorts: 2000, periods: 8 } });
    const empty = { from: '2024-05-02T00:00:00Z', until: '2024-05-01T00:00:00Z' };
    expect(await explain({ question: 'breakdown', by: 'hour', ...empty })).toMatchObject({ pieces: 0 });
  });

  it('refuses what the question refuses once the clock of its zone is read', async () => {
    const year = { after: '2024-01-01', before: '2024-03-23', timeZone: 'Europe/Berlin' };
    expect(await explain({ question: 'breakdown', by: 'hour', ...year })).toMatchObject({ pieces: 1992 });
    const longer = explain({ question: 'breakdown', by: 'hour', ...year, before: '2024-03-24' });
    await expect(longer).rejects.toThrow('by: a hour cuts this time into more than 2000 buckets; use day');
  });

  it('tells of numbers that are asked of a path that holds none', async () => {
    const measures = [{ of: 'properties.a', take: ['sum'] }];
    const told = await explain({ question: 'breakdown', measures, distinct: 'properties.a' }, [
      'properties.a',
    ]);
    expect(told.typeMismatches).toBeUndefined();
    const texts = { strings: true };
    const other = await explain({ question: 'breakdown', measures }, ['properties.a'], undefined, texts);
    expect(other.typeMismatches).toEqual([
      { path: 'properties.a', compared: ['number'], types: { string: 1 }, examples: [] },
    ]);
    const top = await explain({ question: 'top', of: 'properties.b' }, ['properties.a']);
    expect(top.unknownPaths).toEqual([{ path: 'properties.b', nearest: ['properties.a'] }]);
  });

  it('compares ten unknown paths with those that are known', async () => {
    const filterSet = Array.from({ length: 12 }, (_, i) => test(`properties.a${i}`));
    const { unknownPaths } = await explain({ filterSet }, ['properties.a']);
    expect(unknownPaths.map(({ nearest }) => nearest.length)).toEqual([...Array<number>(10).fill(1), 0, 0]);
  });
});
