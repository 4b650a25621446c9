import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ADDRESS_LENGTH_MAX,
  addressWith,
  linkTo,
  parseAddress,
} from '../../../../adapters/dashboard/pages/address/address.ts';
import { columnsIn, COLUMNS_MAX, columnsText } from '../../../../adapters/dashboard/pages/address/columns.ts';
import { readFilters } from '../../../../adapters/dashboard/pages/address/filters.ts';
import { pathBelow } from '../../../../adapters/dashboard/pages/address/paths.ts';
import { chipText } from '../../../../adapters/dashboard/pages/explore/filter/chip-text.ts';
import { valueReader } from '../../../../adapters/dashboard/pages/explore/value-at.ts';
import { rangeAsked, zoneOf } from '../../../../adapters/dashboard/pages/time/asked.ts';
import { textIn } from '../../../../adapters/dashboard/pages/time/zone.ts';
import { addresses, problemAt, problemIn, strangeTexts, takes } from './addresses.ts';

const EQUALS = { property: 'eventName', comparison: 'EQUALS', value: 'a' };
const nested = (depth: number, group: string) =>
  `[${`{"${group}":[`.repeat(depth)}${JSON.stringify(EQUALS)}${']}'.repeat(depth)}]`;
const times = <T>(length: number, each: T): readonly T[] => Array.from({ length }, () => each);
const columns = (length: number) =>
  times(length, 'c')
    .map((name, i) => `${name}${i}`)
    .join();
const UNREADABLE = 'an unreadable filter.';
const TOO_MANY = 'more than 100 filters.';
const TOO_DEEP = 'groups of filters that nest deeper than 10 levels.';
const words = { said: String, path: String, value: (value: unknown) => JSON.stringify(value) };

describe('an address', () => {
  it('of any text is a question, or a sentence of bounded length', () => {
    fc.assert(
      fc.property(addresses, (hash) => {
        const place = parseAddress(hash);
        const said = problemAt(place);
        if (said !== undefined) {
          expect(said).toMatch(/^This link .{1,200}\.$/su);
          return;
        }
        const { parameters } = place;
        // What the pages make of it: none of it throws.
        const read = readFilters(place.page === 'explore' ? (parameters.get('filter') ?? '') : '', takes);
        const filters = 'filters' in read ? read.filters : [];
        expect(filters.map((entry) => chipText(entry, words)).every((text) => text !== '')).toBe(true);
        if (place.page !== 'explore' && place.page !== 'live') return;
        const { from } = rangeAsked(parameters, Date.UTC(2026, 4, 18), '24h');
        if (Number.isFinite(from)) expect(textIn(zoneOf(parameters), from)).toMatch(/^[-+\d: T]+$/);
        expect(columnsIn(parameters.get('columns') ?? '').length).toBeLessThanOrEqual(COLUMNS_MAX);
      }),
    );
  });

  it('comes back as it went', () => {
    fc.assert(
      fc.property(addresses, (hash) => {
        const { page, alias, parameters } = parseAddress(hash);
        const again = parseAddress(linkTo(page, alias, Object.fromEntries(parameters)));
        expect([again.page, again.alias, [...again.parameters]]).toEqual([page, alias, [...parameters]]);
      }),
    );
    fc.assert(
      fc.property(addresses, strangeTexts, (hash, text) => {
        const next = parseAddress(addressWith(parseAddress(hash), { by: text, unit: '' }));
        expect(next.parameters.get('by')).toBe(text === '' ? null : text.toWellFormed());
        expect(next.parameters.has('unit')).toBe(false);
      }),
    );
  });

  it('that is longer than any is not read', () => {
    const place = parseAddress(`#/explore/shop?by=${'a'.repeat(ADDRESS_LENGTH_MAX)}`);
    expect(problemAt(place)).toBe('This link is too long.');
    expect(place).toMatchObject({ page: 'explore', alias: 'shop' });
  });

  it('names a page, not what all objects have', () => {
    expect(parseAddress('#/constructor/shop').page).toBe('constructor');
    expect(parseAddress('#/ingestion/shop').page).toBe('authentication');
  });

  it('with a malformed part keeps the part as it is, and each parameter counts once', () => {
    expect(parseAddress('#/explore/%zz').alias).toBe('%zz');
    expect(parseAddress('#/explore/a?by=1&by=2').parameters.getAll('by')).toEqual(['1']);
  });

  it.each<readonly [what: string, name: string, value: string, said: string | undefined]>([
    ['no filters', 'filter', '[]', undefined],
    ['a filter', 'filter', JSON.stringify([EQUALS]), undefined],
    ['groups of 10 levels', 'filter', nested(9, 'anyOf'), undefined],
    ['100 filters', 'filter', JSON.stringify(times(100, EQUALS)), undefined],
    ['no JSON', 'filter', '{', UNREADABLE],
    ['no list', 'filter', '{}', UNREADABLE],
    ['groups of 11 levels', 'filter', nested(10, 'anyOf'), TOO_DEEP],
    ['groups of 20,001 levels', 'filter', nested(20_000, 'allOf'), TOO_DEEP],
    ['101 filters', 'filter', JSON.stringify(times(101, EQUALS)), TOO_MANY],
    ['20,000 empty groups', 'filter', JSON.stringify([{ anyOf: times(20_000, { anyOf: [] }) }]), TOO_MANY],
    ['100 columns', 'columns', columns(100), undefined],
    ['101 columns', 'columns', columns(101), 'more than 100 columns.'],
    ['the period before', 'compare', 'before', undefined],
    ['another period', 'compare', 'after', 'an unknown comparison: after.'],
    ['a time to compare with', 'against', '../2026-05-18T00:00:00.000Z', undefined],
    ['no time to compare with', 'against', '2026', 'an unknown time to compare with: 2026.'],
    ['no unit', 'unit', 'year', 'an unknown unit of time: year.'],
    ['a long name', 'event', 'x'.repeat(257), `too long a name of an event: ${'x'.repeat(60)}….`],
    ['a day of none', 'after', '2026-02-30', 'an invalid date: 2026-02-30.'],
    ['a mark of direction', 'after', '\u202e', 'an invalid date: \\u202e.'],
  ])('with %s is told', (_what, name, value, said) => {
    expect(problemIn({ [name]: value })).toBe(said && `This link contains ${said}`);
  });

  /** Operands that a comparison does not take, each as the rest of a filter. */
  const wrong: Readonly<Record<string, readonly object[]>> = {
    EQUALS: [{}, { value: null }, { value: {} }, { value: ['a'] }],
    LESS_THAN: [{}, { value: null }, { value: true }, { value: ['a'] }],
    IN: [{}, { value: 'a' }, { value: null }, { value: [['a']] }, { value: times(1001, 1) }],
    STARTS_WITH: [{}, { value: 5 }, { value: null }],
    IS_NULL: [{}, { value: 'a' }, { value: 0 }],
    constructor: [{ value: 'a' }],
  };
  it.each(Object.keys(wrong))(
    'whose filter %s has a wrong operand is unreadable, in groups too',
    (comparison) => {
      for (const rest of wrong[comparison]!) {
        const filter = { property: 'eventName', comparison, ...rest };
        for (const entry of [filter, { not: filter }, { anyOf: [EQUALS, filter] }])
          expect(problemIn({ filter: JSON.stringify([entry]) })).toBe(`This link contains ${UNREADABLE}`);
      }
    },
  );
});

describe('the name of a saved view', () => {
  const shown = parseAddress('#/explore/shop?view=orders&range=7d&event=order_placed');
  const viewWith = (changes: Readonly<Record<string, string>>) =>
    parseAddress(addressWith(shown, changes)).parameters.get('view');

  it('stays on all pages of its rows, of one instant, and in any zone', () => {
    expect(viewWith({ cursor: 'c' })).toBe('orders');
    expect(viewWith({ range: '7d', at: '5' })).toBe('orders');
    expect(viewWith({ every: '10', zone: 'Europe/Berlin', cursor: '' })).toBe('orders');
  });

  it('goes with its question', () => {
    for (const changes of [{ event: 'a' }, { event: '' }, { range: '30d' }, { columns: 'properties.a' }])
      expect(viewWith(changes)).toBe(null);
  });
});

describe('columns', () => {
  const keys = strangeTexts.filter((key) => key !== '' && key.isWellFormed());

  it('come back from an address as they went, whatever the names of properties have', () => {
    fc.assert(
      fc.property(fc.uniqueArray(keys, { maxLength: 5 }), (names) => {
        const columns = names.map((name) => pathBelow('properties', name));
        const address = linkTo('explore', 'shop', { columns: columnsText(columns) });
        expect(columnsIn(parseAddress(address).parameters.get('columns') ?? '')).toEqual(columns);
      }),
    );
  });

  it('show the value that the event has at the key', () => {
    fc.assert(
      fc.property(keys, keys, (outer, inner) => {
        const event = { properties: Object.fromEntries([[outer, Object.fromEntries([[inner, 7]])]]) };
        const [column = ''] = columnsIn(columnsText([pathBelow(pathBelow('properties', outer), inner)]));
        expect(valueReader(column)(event as never)).toBe(7);
      }),
    );
  });

  it('of a bare name are those of the property', () => {
    expect(columnsIn('plan,eventName,insertId,,%zz')).toEqual([
      'properties.plan',
      'insertId',
      'properties.%zz',
    ]);
  });
});
