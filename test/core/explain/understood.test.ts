import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFilterSet, toUnderstoodBody } from '../../../src/core/explain/understood.ts';
import { parseQueryBody } from '../../../src/internal.ts';
import { compilePredicate, parseCountBody, toEventView } from '../../../src/store-kit.ts';
import { storedEvents } from '../../conformance/arbitraries/events.ts';
import { bodies } from '../../conformance/arbitraries/queries.ts';

const understood = (body: unknown) => toUnderstoodBody(parseQueryBody(body)).filterSet;
const entry = (comparison: string, value: unknown, property = 'properties.plan') => ({
  property,
  comparison,
  value,
});

describe('what was understood of a body', () => {
  it('names and dates are filters like any other', () => {
    expect(understood({ event: 'a', after: '2024-05-01', before: '2024-05-31' })).toEqual([
      entry('GREATER_THAN_OR_EQUALS', '2024-05-01T00:00:00.000Z', 'eventTs'),
      entry('LESS_THAN', '2024-06-01T00:00:00.000Z', 'eventTs'),
      entry('EQUALS', 'a', 'eventName'),
    ]);
    expect(understood({})).toEqual([]);
  });

  it.each([
    [entry('NOT_IN', ['a', 1]), [entry('NOT_IN', ['a', 1])]],
    [entry('IS_NULL', null), [entry('IS_NULL', null)]],
    [{ not: entry('STARTS_WITH', 'a') }, [{ not: entry('STARTS_WITH', 'a') }]],
    [{ not: { not: entry('EQUALS', true) } }, [entry('EQUALS', true)]],
    [{ anyOf: [] }, [{ anyOf: [] }]],
    [
      entry('NOT_EQUALS', '2024-05-18T00:00:00Z', 'eventTs'),
      [
        {
          anyOf: [
            entry('LESS_THAN', '2024-05-18T00:00:00.000Z', 'eventTs'),
            entry('GREATER_THAN_OR_EQUALS', '2024-05-18T00:00:00.001Z', 'eventTs'),
          ],
        },
      ],
    ],
    [
      entry('EQUALS', '2024-05-18T02:00:00+02:00', 'eventTs'),
      [entry('EQUALS', '2024-05-18T00:00:00.000Z', 'eventTs')],
    ],
  ])('of %j', (sent, expected) => {
    // What both bounds of a query leave of several ranges is told too.
    expect(understood({ filterSet: [sent] })).toEqual(expected);
  });

  it('asks the same at the ends of the calendar, with the cursor of its page too', () => {
    const times = fc.constantFrom(
      ...['9999-12-31', '0000-01-01', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999-01:00'],
      ...['0000-01-01T00:00:00.000+01:00', '2024-05-18', '9999-12-31T23:59:59.998Z'],
    );
    const names = ['EQUALS', 'NOT_EQUALS', 'LESS_THAN', 'LESS_THAN_OR_EQUALS'];
    const later = ['GREATER_THAN', 'GREATER_THAN_OR_EQUALS'];
    const filters = fc
      .tuple(fc.constantFrom(...names, ...later), times)
      .map(([comparison, time]) => entry(comparison, time, 'eventTs'));
    const sets = fc.oneof(
      fc.array(filters, { maxLength: 3 }),
      fc.array(filters, { maxLength: 3 }).map((anyOf) => [{ not: { anyOf } }]),
    );
    const days = fc.constantFrom('9999-12-31', '0000-01-01', '2024-05-18', undefined);
    fc.assert(
      fc.property(sets, days, days, (filterSet, after, before) => {
        const asked = parseQueryBody({
          filterSet,
          ...(after === undefined ? {} : { after }),
          ...(before === undefined ? {} : { before }),
        });
        const place = { eventTs: 5, insertId: 'a' };
        const body = toUnderstoodBody({ ...asked, page: { ...asked.page, after: place } });
        expect(parseQueryBody(body).page.after).toEqual(place);
      }),
      { numRuns: 500 },
    );
  });

  it('a time that is empty, or no time at all, matches nothing still', () => {
    const [from, until] = [5, 5];
    const all = { kind: 'all', of: [] } as const;
    expect(toFilterSet({ from, until, condition: all })).toEqual([
      entry('GREATER_THAN_OR_EQUALS', '1970-01-01T00:00:00.005Z', 'eventTs'),
      entry('LESS_THAN', '1970-01-01T00:00:00.005Z', 'eventTs'),
    ]);
    const never = { kind: 'during', ranges: [] } as const;
    const always = { from: -Infinity, until: Infinity };
    expect(toFilterSet({ ...always, condition: never })).toEqual([{ anyOf: [] }]);
    const within = { kind: 'any', of: [never] } as const;
    expect(toFilterSet({ ...always, condition: within })).toEqual([{ anyOf: [{ anyOf: [] }] }]);
  });

  it('the first and the last day that can be written are bounds that can be written', () => {
    expect(understood({ after: '0000-01-01', before: '9999-12-31' })).toEqual([
      entry('GREATER_THAN_OR_EQUALS', '0000-01-01T00:00:00.000Z', 'eventTs'),
      entry('LESS_THAN', '9999-12-31T23:59:59.999Z', 'eventTs'),
    ]);
  });

  it('the page is the one that is asked for', () => {
    const pageOf = (body: unknown) => toUnderstoodBody(parseQueryBody(body)).pagination;
    expect(pageOf({})).toEqual({ offset: 0, size: 100 });
    const query = parseQueryBody({ event: 'a' });
    const after = { eventTs: 5, insertId: 'x' };
    const { pagination } = toUnderstoodBody({ ...query, page: { offset: 0, size: 7, after } });
    expect(pagination.size).toBe(7);
    expect(parseQueryBody({ event: 'a', pagination }).page.after).toEqual(after);
  });

  it('asks the same as the body did', () => {
    const asked = fc
      .array(storedEvents, { minLength: 1, maxLength: 5 })
      .chain((events) => bodies(events).map((body) => ({ events, body })));
    fc.assert(
      fc.property(asked, ({ events, body }) => {
        const query = parseCountBody(body);
        const again = parseCountBody({ filterSet: toFilterSet(query) });
        const [first, second] = [compilePredicate(query), compilePredicate(again)];
        for (const event of events.map(toEventView)) expect(second(event)).toBe(first(event));
      }),
      { numRuns: 300 },
    );
  });
});
