import { describe, expect, it } from 'vitest';
import { historyOf } from '../../../adapters/dashboard/pages/person/changes.ts';
import { oldestFirst } from '../../../adapters/dashboard/pages/person/oldest.ts';
import type { Event } from '../../../src/index.ts';

const eventOf = (i: number, properties: Event['properties'] = {}): Event => ({
  ...{ eventName: 'a', userId: 'ada', eventDate: '2026-05-18', insertId: String(i), properties },
  eventTs: `2026-05-18T00:00:${String(i).padStart(2, '0')}.000Z`,
});

describe('how properties changed', () => {
  const of = (...all: Event['properties'][]) =>
    historyOf(all.map((properties, i) => eventOf(i, properties))).map(
      ({ keys, values }) => [keys.join('.'), values.map(({ value, since }) => [value, since[18]])] as const,
    );

  it('is each value with the first of the consecutive events that have it', () => {
    expect(of({ plan: 'free' }, { plan: 'free' }, { plan: 'pro' }, { plan: 'free' })).toEqual([
      [
        'plan',
        [
          ['free', '0'],
          ['pro', '2'],
          ['free', '3'],
        ],
      ],
    ]);
  });

  it('tells types apart, and an event without the property changes nothing', () => {
    expect(of({ n: 5 }, {}, { n: 5 }, { n: '5' }, { n: null })).toEqual([
      [
        'n',
        [
          [5, '0'],
          ['5', '3'],
          [null, '4'],
        ],
      ],
    ]);
  });

  it('goes into objects by their own keys, dots and all, and takes a list as one value', () => {
    expect(of({ a: { b: 1 }, 'a.b': 2, list: [1, 2], empty: {} }, { list: [1, 2] })).toEqual([
      ['a.b', [[1, '0']]],
      ['a.b', [[2, '0']]],
      ['list', [[[1, 2], '0']]],
    ]);
  });

  it('begins with what changed least', () => {
    const paths = of({ page: 1, plan: 'pro' }, { page: 2, plan: 'pro' }, { page: 3 }).map(([path]) => path);
    expect(paths).toEqual(['plan', 'page']);
  });
});

describe('the oldest events', () => {
  /** A store of `size` events, newest first, to which `arrive` happens before each answer of a page. */
  function storeOf(size: number, arrive: (all: Event[], asked: number) => void = () => undefined) {
    const all = Array.from({ length: size }, (_, i) => eventOf(size - 1 - i));
    let asked = 0;
    return {
      all,
      count: () => Promise.resolve(all.length),
      page: (offset: number, length: number) => {
        arrive(all, asked++);
        return Promise.resolve(all.slice(offset, offset + length));
      },
    };
  }
  const ids = (events: readonly Event[]) => events.map(({ insertId }) => Number(insertId));

  it('come page by page, oldest first, none twice and none left out', async () => {
    const store = storeOf(7);
    const pages = [];
    for (const from of [0, 3, 6]) pages.push(ids((await oldestFirst(store, from, 3)).events));
    expect(pages).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
    expect(await oldestFirst(store, 9, 3)).toEqual({ events: [], from: 7, total: 7 });
    expect(await oldestFirst(storeOf(0), 0, 3)).toEqual({ events: [], from: 0, total: 0 });
  });

  it('are the oldest also if one arrives between the questions', async () => {
    for (const place of ['unshift', 'push'] as const) {
      const late = eventOf(place === 'unshift' ? 8 : 9);
      const store = storeOf(7, (all, asked) => {
        if (asked === 0) all[place](late);
      });
      const { events, total } = await oldestFirst(store, 0, 2);
      expect([total, ids(events)]).toEqual([8, place === 'push' ? [9, 0] : [0, 1]]);
    }
  });

  it('are the oldest also if some are erased between the questions', async () => {
    const store = storeOf(7, (all, asked) => {
      if (asked === 0) all.splice(5);
    });
    const { events, total } = await oldestFirst(store, 0, 2);
    expect([total, ids(events)]).toEqual([5, [2, 3]]);
  });

  it('are not told while events arrive each time', async () => {
    const store = storeOf(7, (all) => void all.unshift(eventOf(8)));
    await expect(oldestFirst(store, 0, 2)).rejects.toThrow('too quickly');
  });
});
