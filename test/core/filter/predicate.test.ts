import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareCodePoints, isStorableText } from '../../../src/core/event/text.ts';
import { pathText } from '../../../src/core/filter/path.ts';
import type { FilterEntry, JsonObject } from '../../../src/index.ts';
import { compilePredicate, parseCountBody, type EventQuery, type EventView } from '../../../src/store-kit.ts';
import { condition, eventView, meets } from './conditions.ts';
import { bundleProgram } from '../../support/bundle.ts';
import { casesOf } from '../../support/cases.ts';

const RUNS = casesOf(2000);

function eventOf(properties: JsonObject): EventView {
  return { eventName: 'n', userId: 'u', eventTs: Date.UTC(2024, 1, 29, 12), insertId: 'i', properties };
}

function filtersOf(...filterSet: FilterEntry[]): EventQuery {
  return parseCountBody({ filterSet });
}

/** What both predicates say of an event; they must agree. */
function verdict(asked: EventQuery, event: EventView): boolean {
  const said = [true, false].map((codeGeneration) => compilePredicate(asked, { codeGeneration })(event));
  expect(new Set(said).size).toBe(1);
  return said[0] === true;
}

describe('compilePredicate', () => {
  it.each([true, false])('says what the condition says, code generation %s', (codeGeneration) => {
    const bound = fc.constantFrom(-Infinity, 0, 86_400_000, Date.UTC(2024, 1, 29), Infinity);
    const events = fc.array(eventView, { maxLength: 8 });
    fc.assert(
      fc.property(condition, bound, bound, events, (asked, from, until, some) => {
        const predicate = compilePredicate({ from, until, condition: asked }, { codeGeneration });
        for (const event of some) {
          const within = event.eventTs >= from && event.eventTs < until;
          expect(predicate(event)).toBe(within && meets(asked, event));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('finds the values of events that it is made from, and only own ones', () => {
    fc.assert(
      fc.property(eventView, (event) => {
        for (const segments of pathsIn(event.properties)) {
          const property = pathText({ root: 'properties', segments });
          if (segments.includes('')) continue;
          const asked = filtersOf({ property, comparison: 'IS_NOT_NULL', value: null });
          expect(verdict(asked, event)).toBe(meets(asked.condition, event));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'sees %s only as an own key',
    (key) => {
      const own = JSON.parse(`{"${key}":{"${key}":1}}`) as JsonObject;
      const asked = filtersOf({ property: `properties.${key}`, comparison: 'IS_NOT_NULL', value: null });
      const below = filtersOf({ property: `properties.${key}.${key}`, comparison: 'EQUALS', value: 1 });
      const inside = filtersOf({ property: `properties.a.${key}`, comparison: 'IS_NOT_NULL', value: null });
      expect([verdict(asked, eventOf({})), verdict(asked, eventOf(own))]).toEqual([false, true]);
      expect([verdict(below, eventOf({})), verdict(below, eventOf(own))]).toEqual([false, true]);
      expect([verdict(inside, eventOf({ a: {} })), verdict(inside, eventOf({ a: own }))]).toEqual([
        false,
        true,
      ]);
    },
  );

  it.each([
    ['length', [1, 2]],
    ['0', ['x']],
    ['length', 'text'],
    ['0', 'text'],
    ['includes', 'text'],
    ['charAt', 'text'],
    ['toFixed', 5],
    ['map', [1]],
    ['valueOf', true],
  ])('never enters an array, a text or a scalar by %s', (key, value) => {
    const asked = filtersOf({ property: `properties.a.${key}`, comparison: 'IS_NOT_NULL', value: null });
    expect(verdict(asked, eventOf({ a: value }))).toBe(false);
    expect(verdict(asked, eventOf({ a: { [key]: value } }))).toBe(true);
  });

  it('takes hostile keys and operands as the texts that they are', () => {
    const hostile = [
      '"];globalThis.hacked=1;//', "'+globalThis.hacked+'", '`${globalThis.hacked=1}`', '\u2028', '\\"', '*/',
      '\n', ']);globalThis.hacked=1;([', '\u0001', '--></script>', 'b0', 'v0', 'event', 'return',
    ]; // prettier-ignore
    for (const text of hostile) {
      const property = `properties.${text.replace(/[\\.]/g, '\\$&')}`;
      for (const comparison of ['EQUALS', 'CONTAINS', 'STARTS_WITH', 'ENDS_WITH'] as const) {
        const asked = filtersOf({ property, comparison, value: text });
        expect(verdict(asked, eventOf({ [text]: text }))).toBe(true);
        expect(verdict(asked, eventOf({ [text]: `~${text.slice(1)}` }))).toBe(false);
      }
      const listed = filtersOf({ property, comparison: 'IN', value: [text] });
      expect(verdict(listed, eventOf({ [text]: text }))).toBe(true);
    }
    expect('hacked' in globalThis).toBe(false);
  });

  it('orders texts by code point where UTF-16 units order otherwise', () => {
    const asked = filtersOf({ property: 'properties.a', comparison: 'GREATER_THAN', value: '\uff5e' });
    expect(verdict(asked, eventOf({ a: '😀' }))).toBe(true);
    const text = fc.string({ unit: 'binary' }).filter(isStorableText);
    fc.assert(
      fc.property(text, text, (a, b) => {
        const less = filtersOf({ property: 'properties.a', comparison: 'LESS_THAN', value: b });
        expect(verdict(less, eventOf({ a }))).toBe(compareCodePoints(a, b) < 0);
      }),
    );
  });

  it.each([
    ['EQUALS', '2024-02-29', true],
    ['EQUALS', '2024-03-01', false],
    ['GREATER_THAN', '2024-02-28', true],
    ['GREATER_THAN', '2024-02-29', false],
    ['GREATER_THAN_OR_EQUALS', '2024-02-29', true],
    ['LESS_THAN', '2024-02-29', false],
    ['LESS_THAN_OR_EQUALS', '2024-02-29', true],
    ['NOT_EQUALS', '2024-02-29', false],
    ['IN', ['2024-02-28', '2024-02-29'], true],
    ['NOT_IN', [], true],
  ] as const)('compares eventDate %s %j', (comparison, value, expected) => {
    const filter = { property: 'eventDate', comparison, value } as Parameters<typeof filtersOf>[0];
    const midnight = { ...eventOf({}), eventTs: Date.UTC(2024, 1, 29) };
    const lastMillisecond = { ...eventOf({}), eventTs: Date.UTC(2024, 2, 1) - 1 };
    for (const event of [eventOf({}), midnight, lastMillisecond]) {
      expect(verdict(filtersOf(filter), event)).toBe(expected);
    }
  });

  it('takes lists of any length', () => {
    const list = Array.from({ length: 1000 }, (_, i) => `value number ${i}`);
    for (const length of [0, 1, 8, 9, 1000]) {
      const value = list.slice(0, length);
      const asked = filtersOf({ property: 'properties.a', comparison: 'IN', value });
      expect(verdict(asked, eventOf({ a: `value number ${length - 1}` }))).toBe(length > 0);
      expect(verdict(asked, eventOf({ a: `value number ${length}` }))).toBe(false);
    }
  });
});

describe('where code generation is forbidden', () => {
  const core = bundleProgram('src/store-kit.ts');
  const script = `
    import { compilePredicate, parseCountBody } from '${core}';
    const filterSet = [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }];
    const query = parseCountBody({ filterSet });
    const event = { eventName: 'n', userId: 'u', eventTs: 0, insertId: 'i', properties: { plan: 'pro' } };
    let forced = 'generated';
    try { compilePredicate(query, { codeGeneration: true }); } catch (error) { forced = error.name; }
    console.log(JSON.stringify([compilePredicate(query)(event), forced]));
  `;
  const run = (...flags: string[]): unknown => {
    const args = [...flags, '--input-type=module', '--eval', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return stdout === '' ? stderr : JSON.parse(stdout);
  };

  it('notices the ban and answers without', () => {
    expect(run('--disallow-code-generation-from-strings')).toEqual([true, 'EvalError']);
  });

  it('generates code where it is allowed', () => {
    expect(run()).toEqual([true, 'generated']);
  });
});

/** Every path through the own keys of an object, into whatever lies there. */
function pathsIn(object: JsonObject): string[][] {
  return Object.entries(object).flatMap(([key, value]) => {
    const below = typeof value === 'object' && value !== null ? pathsIn(value as JsonObject) : [];
    return [[key], ...below.map((rest) => [key, ...rest])];
  });
}
