import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createInsertIds } from '../../../adapters/import/insert-ids.ts';

const idsOf = (events: readonly unknown[], window?: number) => {
  const withInsertId = createInsertIds(window);
  return events.map((event) => (withInsertId(event) as { insertId?: unknown }).insertId);
};

describe('insert ids from content', () => {
  const event = fc.record({
    eventName: fc.constantFrom('a', 'b'),
    userId: fc.constant('u'),
    eventTs: fc.nat(3),
  });

  it('are the same in every run, and differ within one', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const ids = idsOf(events);
        expect(idsOf(events)).toEqual(ids);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.every((id) => /^[\x20-\x7e]{1,128}$/.test(String(id)))).toBe(true);
      }),
    );
  });

  it('depend on the whole event: any difference changes the id, in another run too', () => {
    const event = { eventName: 'a', userId: 'u', eventTs: 1, properties: { plan: 'pro', n: { m: 1 } } };
    const others = [
      { eventName: 'b' },
      { userId: 'v' },
      { eventTs: 2 },
      { properties: { plan: 'free', n: { m: 1 } } },
      { properties: { plan: 'pro', n: { m: 2 } } },
      { properties: undefined },
    ];
    const ids = [event, ...others.map((other) => ({ ...event, ...other }))].flatMap((each) => idsOf([each]));
    expect(new Set(ids).size).toBe(7);
  });

  it('distinguish repeats over at least the window, however many events there are', () => {
    const events = Array.from({ length: 1000 }, (_, i) => ({
      eventName: 'a',
      userId: 'u',
      eventTs: Math.floor(i / 3),
    }));
    expect(new Set(idsOf(events, 2)).size).toBe(1000);
    // Also a repeat of an event from the previous window.
    const turned = [0, 1, 2, 3, 0].map((eventTs) => ({ eventTs }));
    expect(new Set(idsOf(turned, 3)).size).toBe(5);
    const far = [...Array.from({ length: 100 }, (_, i) => ({ eventTs: i })), { eventTs: 0 }];
    expect(new Set(idsOf(far, 10)).size).toBe(100);
    expect(new Set(idsOf(far, 100)).size).toBe(101);
  });

  it('leave existing ids and values that are no events unchanged', () => {
    const withInsertId = createInsertIds();
    for (const value of [
      { eventTs: 1, insertId: 'x' },
      { eventTs: 1, insertId: null },
      [],
      null,
      'text',
      5,
    ]) {
      expect(withInsertId(value)).toBe(value);
    }
  });
});
