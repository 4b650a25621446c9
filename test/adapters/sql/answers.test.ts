import { beforeAll, describe, expect, it } from 'vitest';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import {
  parseBreakdownBody,
  parseCountBody,
  type Condition,
  type EventQuery,
  type Page,
  type StoredEvent,
} from '../../../src/store-kit.ts';
import { collect } from '../../../src/core/query/stored-page.ts';
import { compareNewestFirst, EVERYTHING, referenceOf } from '../../conformance/expected.ts';
import { askSqlite } from './sqlite-engine.ts';
import { testResources } from '../../support/resources.ts';

const DAY = 86_400_000;
const VALUES = [undefined, null, 'a', 'B', '', 10, 9, -1, 2.5, true, false, [1], { a: 1 }, 'true', '10'];
/** Three days of events, two and more an instant. */
const EVENTS: readonly StoredEvent[] = Array.from({ length: 120 }, (_, i) => ({
  eventName: `name-${i % 3}`,
  userId: i % 9 === 0 ? '3' : `user-${i % 5}`,
  eventTs: Math.floor(i / 2) * (DAY / 20) - DAY,
  insertId: `id-${(i * 7) % 120}`,
  propertiesJson: JSON.stringify({ p: VALUES[i % VALUES.length], q: VALUES[(i * 4) % 7] }),
}));
const engine = askSqlite('T', EVENTS);
const memory = memoryEventStore({ resources: testResources() });
const reference = referenceOf(EVENTS);
const page = (query: EventQuery, of: Page) => engine.query(query, of);
const ALL: Page = { offset: 0, size: 1000 };

beforeAll(() => memory.append('T', EVENTS));

const query = (condition: Condition, from = -Infinity, until = Infinity): EventQuery => ({
  condition,
  from,
  until,
});
const named = (name: string): Condition =>
  parseCountBody({ filterSet: [{ property: 'eventName', comparison: 'EQUALS', value: name }] }).condition;
const during = (...ranges: { from: number; until: number }[]): Condition => ({ kind: 'during', ranges });

describe('a query as SQL finds what the predicate does', () => {
  it.each<[string, EventQuery]>([
    ['everything', EVERYTHING],
    ['from an instant on', query({ kind: 'all', of: [] }, 0)],
    ['until before an instant', query({ kind: 'all', of: [] }, -Infinity, DAY / 20)],
    ['all of some', query({ kind: 'all', of: [named('name-0'), during({ from: 0, until: DAY })] })],
    ['any of some', query({ kind: 'any', of: [named('name-0'), named('name-1')] })],
    ['any of none', query({ kind: 'any', of: [] })],
    ['all of none within', query({ kind: 'any', of: [{ kind: 'all', of: [] }] })],
    ['none of some', query({ kind: 'not', of: named('name-0') })],
    ['during no time', query(during())],
    ['during all time', query(during({ from: -Infinity, until: Infinity }))],
    ['during one of two times', query(during({ from: -Infinity, until: 0 }, { from: DAY, until: Infinity }))],
  ])('%s', async (_name, asked) => {
    const expected = reference(asked);
    expect(engine.count(asked)).toBe(expected.length);
    expect(await collect(page(asked, ALL))).toEqual(expected);
  });

  it.each([
    ['userId', 'EQUALS', 5],
    ['userId', 'EQUALS', 'user-3'],
    ['userId', 'NOT_EQUALS', true],
    ['userId', 'GREATER_THAN', 4],
    ['userId', 'CONTAINS', 3],
    ['userId', 'CONTAINS', 'r-3'],
    ['userId', 'IN', [1, 3]],
    ['userId', 'IN', []],
    ['userId', 'IN', [3, 'user-3', 'user-4']],
    ['eventName', 'ENDS_WITH', '2'],
    ['eventName', 'STARTS_WITH', 'name-1'],
    ['insertId', 'LESS_THAN_OR_EQUALS', 'id-2'],
    ['insertId', 'IS_NULL', null],
  ])('where %s %s %j', (property, comparison, value) => {
    const asked = parseCountBody({ filterSet: [{ property, comparison, value }] as never });
    expect(engine.count(asked)).toBe(reference(asked).length);
  });

  it('of one tenant alone', () => {
    const other = askSqlite('U', EVENTS.slice(0, 3));
    other.database.exec(`insert into events select 'T', ts, insert_id, 'x', 'x', '{}', null from events`);
    expect(other.count(EVERYTHING)).toBe(3);
  });
});

describe('pages as SQL', () => {
  it('go on behind each other, whole, in the order of answers', async () => {
    const found: StoredEvent[] = [];
    for (let after: Page['after']; ;) {
      const part = page(EVERYTHING, { offset: 0, size: 7, ...(after && { after }) });
      found.push(...(await collect(part)));
      if (part.length < 7) break;
      after = part.last;
    }
    expect(found).toEqual([...EVENTS].sort(compareNewestFirst));
    expect(await collect(page(EVERYTHING, { offset: 5, size: 3 }))).toEqual(found.slice(5, 8));
  });

  it('say what they take, as numbers, though an engine may answer texts', () => {
    const part = page(EVERYTHING, { offset: 0, size: 2 });
    const two = [...EVENTS].sort(compareNewestFirst).slice(0, 2);
    const bytes = two.reduce((sum, { propertiesJson }) => sum + propertiesJson.length + 256, 0);
    expect([part.length, part.bytes, part.last?.eventTs]).toEqual([2, bytes, two[1]!.eventTs]);
  });

  it('bring large events a piece at a time, none twice and none left out', async () => {
    const events = Array.from({ length: 5 }, (_, i) => ({
      ...EVENTS[0]!,
      eventTs: 10 - i,
      propertiesJson: JSON.stringify({ p: 'x'.repeat(600_000) }),
    }));
    const large = askSqlite('T', events);
    const pieces: string[][] = [];
    for await (const piece of large.query(EVERYTHING, ALL).pieces())
      pieces.push(piece.map(({ eventTs }) => `${eventTs}`));
    expect(pieces).toEqual([['10'], ['9'], ['8'], ['7'], ['6']]);
    const first = askSqlite('T', [{ ...events[0]!, propertiesJson: JSON.stringify('x'.repeat(1_100_000)) }]);
    const sizes: number[] = [];
    for await (const piece of first.query(EVERYTHING, ALL).pieces()) sizes.push(piece.length);
    expect([sizes, first.loads]).toEqual([[1], [1]]);
  });

  it('load only what is larger than its share of a page, and keep the order', async () => {
    const events = [9, 5_000, 9, 5_000, 9].map((length, i) => ({
      ...EVENTS[0]!,
      eventTs: 10 - i,
      propertiesJson: JSON.stringify({ p: `${i}`.repeat(length) }),
    }));
    const mixed = askSqlite('T', events);
    expect(await collect(mixed.query(EVERYTHING, ALL))).toEqual(events);
    expect(mixed.loads).toEqual([2]);
    expect(await collect(mixed.query(EVERYTHING, { offset: 0, size: 100 }))).toEqual(events);
    expect(mixed.loads).toEqual([2]);
  });

  it('break off where events of theirs were erased meanwhile', async () => {
    const events = [10, 9].map((eventTs) => ({
      ...EVENTS[0]!,
      eventTs,
      propertiesJson: JSON.stringify('x'.repeat(800_000)),
    }));
    const erased = askSqlite('T', events);
    const part = erased.query(EVERYTHING, ALL);
    erased.database.exec('delete from events where ts = 9');
    await expect(collect(part)).rejects.toThrow('erased while it was read');
  });
});

describe('a breakdown as SQL is that of the store in memory', () => {
  it.each([
    { by: 'properties.p' },
    { by: 'properties.p', size: 3 },
    { by: 'properties.q', distinct: 'properties.p' },
    { by: 'properties.missing', distinct: 'properties.p' },
    { by: 'userId', distinct: 'properties.q' },
    { by: 'eventName', distinct: 'insertId', event: 'name-1' },
    { by: 'eventTs' },
    { by: 'eventDate', distinct: 'eventTs' },
    { by: 'userId', event: 'nothing' },
    { by: 'hour', distinct: 'userId' },
    { by: 'day', after: '1970-01-01', before: '1970-01-01' },
    { by: 'day', event: 'nothing' },
    {
      by: 'day',
      filterSet: [{ property: 'eventTs', comparison: 'GREATER_THAN', value: '1970-01-01T05:00:00Z' }],
    },
    {
      by: 'hour',
      filterSet: [{ property: 'eventTs', comparison: 'GREATER_THAN', value: '1970-01-01T01:06:40Z' }],
    },
  ])('%j', async (body) => {
    const { query: asked, grouping } = parseBreakdownBody({
      ...(body as object),
      by: body.by,
    });
    expect(await engine.breakdown(asked, grouping)).toEqual(await memory.breakdown!('T', asked, grouping));
  });
});
