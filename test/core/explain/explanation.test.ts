import { describe, expect, it } from 'vitest';
import { createScheduler } from '../../../src/core/bounds/scheduler.ts';
import { createExplain } from '../../../src/core/explain/explanation.ts';
import type { JsonType, Property } from '../../../src/core/query/properties.ts';
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
  { strings = false, more = [] }: { strings?: boolean; more?: readonly Property[] } = {},
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
        return Promise.resolve({ properties: [...properties, ...more], more: false });
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

/** A property with values of some types. */
const typed = (path: string, ...types: readonly JsonType[]): Property => ({
  ...{ path, examples: ['x'] },
  types: Object.fromEntries(types.map((type) => [type, 2])),
});
const filterOf = (comparison: string, value: unknown, property = 'properties.a') => ({
  filterSet: [{ property, comparison, value }],
});

describe('what no event can pass because of the types of its values', () => {
  it.each<readonly [body: object, types: readonly JsonType[], compared: readonly JsonType[]]>([
    [filterOf('EQUALS', 1), ['string', 'null'], ['number']],
    [filterOf('NOT_EQUALS', true), ['string'], ['boolean']],
    [filterOf('GREATER_THAN', '1'), ['number'], ['string']],
    [filterOf('IN', [1, 'a']), ['boolean'], ['number', 'string']],
    [filterOf('STARTS_WITH', 'a'), ['array'], ['string']],
    // A list may hold the value.
    [filterOf('CONTAINS', 'a'), ['number', 'object'], ['string', 'array']],
    [filterOf('CONTAINS', 5), ['string', 'number'], ['array']],
    [{ question: 'breakdown', measures: [{ of: 'properties.a', take: ['sum'] }] }, ['string'], ['number']],
    [{ question: 'top', of: 'properties.a' }, ['string', 'array'], ['number']],
  ])('%j of values that are %j', async (body, types, compared) => {
    const property = typed('properties.a', ...types);
    const { typeMismatches } = await explain(body, ['properties.b'], undefined, { more: [property] });
    expect(typeMismatches).toEqual([{ ...property, compared }]);
  });

  it.each<readonly [body: object, types: readonly JsonType[]]>([
    [filterOf('EQUALS', 1), ['string', 'number']],
    [filterOf('IN', [1, 'a']), ['string']],
    [filterOf('CONTAINS', 'a'), ['array']],
    [filterOf('CONTAINS', 'a'), ['string']],
    [filterOf('CONTAINS', 5), ['array']],
    [filterOf('IS_NULL', null), ['string']],
    [filterOf('IS_NOT_NULL', null), ['string']],
    [filterOf('EQUALS', 1, 'userId'), ['string']],
    [filterOf('EQUALS', 1, 'properties.other'), ['string']],
    [{ question: 'breakdown', by: 'properties.a', distinct: 'properties.a' }, ['string']],
    [{ question: 'sequence', steps: [{}], same: ['properties.a'] }, ['string']],
  ])('%j is passed by some of %j', async (body, types) => {
    const property = typed('properties.a', ...types);
    const explanation = await explain(body, ['properties.b'], undefined, { more: [property] });
    expect(Object.keys(explanation)).not.toContain('typeMismatches');
  });
});

describe('paths that lead into a list of objects', () => {
  const lists: Property[] = [
    { ...typed('properties.items', 'array'), arraysOfObjects: 3 },
    { ...typed('properties.cart', 'object') },
    { ...typed('properties.cart.items', 'array'), arraysOfObjects: 2 },
    { ...typed('properties.tags', 'array'), arraysOfObjects: 0 },
  ];

  it('are told with the first such list and how many events have it', async () => {
    const paths = ['properties.items.sku', 'properties.cart.items.sku.size', 'properties.items.x.y'];
    const body = { filterSet: paths.map((path) => test(path)) };
    const { pathsIntoArrays } = await explain(body, [], undefined, { more: lists });
    expect(pathsIntoArrays).toEqual([
      { path: 'properties.items.sku', array: 'properties.items', events: 3 },
      { path: 'properties.cart.items.sku.size', array: 'properties.cart.items', events: 2 },
      { path: 'properties.items.x.y', array: 'properties.items', events: 3 },
    ]);
  });

  it('are none where the list itself, or one without objects, is asked for', async () => {
    const paths = ['properties.items', 'properties.tags.x', 'properties.cart.other', 'properties.none.x'];
    const body = { filterSet: paths.map((path) => test(path)) };
    const explanation = await explain(body, [], undefined, { more: lists });
    expect(Object.keys(explanation)).not.toContain('pathsIntoArrays');
    expect(explanation).toMatchObject({
      ...{ more: false, plan: { by: 'store' } },
      unknownPaths: [
        { path: 'properties.tags.x' },
        { path: 'properties.cart.other' },
        { path: 'properties.none.x' },
      ],
    });
  });
});

describe('the body that a comparison is understood as', () => {
  it('keeps the name of its events as a key, and every filter that is not that name', async () => {
    const others = [
      { property: 'eventName', comparison: 'EQUALS', value: 'b' },
      { property: 'userId', comparison: 'EQUALS', value: 'a' },
      { property: 'eventName', comparison: 'CONTAINS', value: 'a' },
      { anyOf: [test('properties.x'), test('properties.y')] },
    ];
    const asked = { question: 'compare', selected: { event: 'c' }, filterSet: others };
    const { body } = await explain({ ...asked, event: 'a' });
    expect(body).toMatchObject({ event: 'a' });
    expect((body as { filterSet: object[] }).filterSet).toEqual(others);
    const { body: unnamed } = await explain(asked);
    expect(Object.keys(unnamed)).not.toContain('event');
    expect((unnamed as { filterSet: object[] }).filterSet).toEqual(others);
  });

  it('of a tail has its filters', async () => {
    const filterSet = [test('properties.x')];
    expect((await explain({ question: 'tail', filterSet })).body).toEqual({ filterSet });
  });
});
