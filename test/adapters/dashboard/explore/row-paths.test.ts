import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowPairs, rowPaths } from '../../../../adapters/dashboard/pages/explore/row-paths.ts';
import type { Event } from '../../../../src/index.ts';

const eventOf = (i: number, eventName: string, own: object): Event => ({
  ...{
    eventName,
    userId: 'u',
    eventTs: '2026-05-18T10:00:00.000Z',
    eventDate: '2026-05-18',
    insertId: `${i}`,
  },
  properties: {
    session: { id: `s_${i}`, index: i % 3 },
    app: { version: '4.2.0' },
    ...own,
  },
});
const events = Array.from({ length: 12 }, (_, i) =>
  i % 3 === 0
    ? eventOf(i, 'error_shown', { error: { message: `failed ${i % 2}`, code: 402 } })
    : eventOf(i, i % 3 === 1 ? 'page_viewed' : 'product_viewed', i % 3 === 1 ? { page: '/a' } : { price: i }),
);
const ranks = (of: readonly Event[]) => new Map(rowPaths(of).map((path, i) => [path, i]));
const pathsOf = (event: Event, of: readonly Event[], most = 8) =>
  rowPairs(event, ranks(of), most).map(([path]) => path.replace('properties.', ''));

describe('a row shows', () => {
  it('what only its name has first, and last what all events share', () => {
    expect(pathsOf(events[0]!, events)).toEqual([
      ...['error.message', 'error.code', 'session.index', 'session.id', 'app.version'],
    ]);
    expect(pathsOf(events[1]!, events)[0]).toBe('page');
    expect(pathsOf(events[2]!, events, 1)).toEqual(['price']);
  });

  it('of events of one name what differs among them, before ids and what is the same', () => {
    const errors = events.filter(({ eventName }) => eventName === 'error_shown');
    const many = [
      ...errors,
      ...errors.map((event, i) => ({
        ...event,
        ...eventOf(i + 20, 'error_shown', { error: { message: 'other', code: 402 } }),
      })),
    ];
    expect(pathsOf(errors[0]!, many)).toEqual([
      ...['session.index', 'error.message', 'session.id', 'app.version', 'error.code'],
    ]);
  });

  it('each value of an event once, whatever the others are', () => {
    const values = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.dictionary(fc.string(), fc.integer()),
    );
    const any = fc
      .tuple(fc.constantFrom('a', 'b'), fc.dictionary(fc.string({ minLength: 1 }), values, { maxKeys: 6 }))
      .map(([name, properties]) => ({ ...eventOf(0, name, {}), properties }));
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 8 }), (all) => {
        for (const event of all) {
          const shown = pathsOf(event, all, 100);
          const plain = rowPairs(event, new Map(), 100).map(([path]) => path.replace('properties.', ''));
          expect([...shown].sort()).toEqual([...plain].sort());
        }
      }),
    );
  });
});
