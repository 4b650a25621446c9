import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATORS } from '../../../src/core/filter/operators.ts';
import type { ComparisonName, FilterEntry } from '../../../src/index.ts';
import { COMPARISONS } from '../../../src/internal.ts';
import { compilePredicate, parseCountBody, type EventView, type Operator } from '../../../src/store-kit.ts';
import { rowOf } from '../../../src/core/filter/operators.ts';
import { operandsFor } from './conditions.ts';
import { jsonValues, scalars } from '../../conformance/arbitraries/events.ts';
import { operandsOf } from '../../conformance/arbitraries/operands.ts';

const names = Object.keys(COMPARISONS) as ComparisonName[];

/** Whether a comparison holds for the value of one property; undefined stands for no property. */
function holds(comparison: ComparisonName, value: unknown, operand: unknown): boolean {
  const filter = { property: 'properties.p', comparison, value: operand } as FilterEntry;
  const predicate = compilePredicate(parseCountBody({ filterSet: [filter] }), { codeGeneration: false });
  const properties = (value === undefined ? {} : { p: value }) as EventView['properties'];
  return predicate({ eventName: 'e', userId: 'u', eventTs: 0, insertId: 'i', properties });
}

describe('the table of comparisons', () => {
  it('has the spec’s six, and a complement for each negative name', () => {
    const six = ['EQUALS', 'NOT_EQUALS', 'CONTAINS', 'GREATER_THAN', 'IN', 'IS_NOT_NULL'];
    expect(names).toEqual(expect.arrayContaining(six));
    for (const name of names) {
      expect(Object.hasOwn(OPERATORS, COMPARISONS[name].operator)).toBe(true);
      expect(COMPARISONS[name].negated).toBe(/^NOT_|^IS_NULL$/.test(name));
    }
  });
});

describe('the facts of the table, which others rely on', () => {
  const found = fc.oneof(fc.constant(undefined), jsonValues);
  const tests = fc
    .constantFrom(...(Object.keys(OPERATORS) as Operator[]))
    .chain((name) => operandsFor(name).map((operand) => ({ ...rowOf(name), name, operand })));

  it('a missing value and null get one verdict', () => {
    fc.assert(
      fc.property(tests, ({ compile, operand }) => {
        expect(compile(operand)(null)).toBe(compile(operand)(undefined));
      }),
    );
  });

  it('objects are alike to an operator that says so', () => {
    const objects = fc.dictionary(fc.string(), jsonValues);
    fc.assert(
      fc.property(tests, objects, ({ compile, operand, objectsAlike }, object) => {
        if (objectsAlike) expect(compile(operand)(object)).toBe(compile(operand)({}));
      }),
      { numRuns: 1000 },
    );
  });

  it('what is sought is all that can pass', () => {
    fc.assert(
      fc.property(tests, found, ({ compile, sought, operand }, value) => {
        const values = sought?.(operand);
        if (values === undefined) return;
        const passes = compile(operand);
        expect(values.filter((one) => !passes(one))).toEqual([]);
        if (passes(value)) expect(values).toContain(value);
      }),
      { numRuns: 1000 },
    );
    expect(rowOf('EQUALS').sought?.('a')).toEqual(['a']);
    expect(rowOf('IN').sought?.(['a', 1, true])).toEqual(['a', 1, true]);
  });

  it('what is written for generated code says what the verdict says', () => {
    fc.assert(
      fc.property(tests, found, ({ compile, write, operand }, value) => {
        const bound: unknown[] = [];
        const written = write?.('v', operand, (one) => `b[${bound.push(one) - 1}]`);
        if (written === undefined) return;
        // eslint-disable-next-line @typescript-eslint/no-implied-eval
        const said = new Function('v', 'b', `return ${written};`) as (v: unknown, b: unknown[]) => unknown;
        expect(said(value, bound)).toBe(compile(operand)(value));
      }),
      { numRuns: 2000 },
    );
  });

  it('what instants pass is what the operator says of each of them', () => {
    const instants = fc.integer({ min: 0, max: 5 });
    for (const name of Object.keys(OPERATORS) as Operator[]) {
      const { takes, compile, instants: rangeOf } = rowOf(name);
      if (rangeOf === undefined || takes === 'none') continue;
      fc.assert(
        fc.property(instants, instants, (operand, instant) => {
          const { from, until } = rangeOf({ from: operand, until: operand + 1 });
          const passes = compile(takes === 'list' ? [operand] : operand);
          expect(instant >= from && instant < until).toBe(passes(instant));
        }),
      );
    }
  });
});

describe('operators', () => {
  const found = fc.oneof(fc.constant(undefined), jsonValues);

  it('a negative one holds exactly where its positive does not', () => {
    const pairs = [
      ['EQUALS', 'NOT_EQUALS'],
      ['CONTAINS', 'NOT_CONTAINS'],
    ] as const;
    fc.assert(
      fc.property(found, scalars, fc.array(scalars), (value, operand, list) => {
        for (const [yes, no] of pairs) expect(holds(yes, value, operand)).toBe(!holds(no, value, operand));
        expect(holds('IN', value, list)).toBe(!holds('NOT_IN', value, list));
        expect(holds('IS_NOT_NULL', value, null)).toBe(!holds('IS_NULL', value, null));
      }),
    );
  });

  it('a missing value and null are the same to each', () => {
    const asked = fc
      .constantFrom(...names)
      .chain((name) => operandsOf(COMPARISONS[name].takes, scalars).map((operand) => ({ name, operand })));
    fc.assert(
      fc.property(asked, ({ name, operand }) => {
        expect(holds(name, null, operand)).toBe(holds(name, undefined, operand));
      }),
      { numRuns: 500 },
    );
  });

  it('the four orders agree with one another and with equality', () => {
    const ordered = scalars.filter((value) => typeof value !== 'boolean');
    fc.assert(
      fc.property(found, ordered, (value, operand) => {
        const [greater, less] = [holds('GREATER_THAN', value, operand), holds('LESS_THAN', value, operand)];
        const equal = holds('EQUALS', value, operand);
        expect([greater, less, equal].filter(Boolean).length).toBe(typeof value === typeof operand ? 1 : 0);
        expect(holds('GREATER_THAN_OR_EQUALS', value, operand)).toBe(greater || equal);
        expect(holds('LESS_THAN_OR_EQUALS', value, operand)).toBe(less || equal);
      }),
      { numRuns: 300 },
    );
  });

  it('IN is EQUALS to one of them; CONTAINS in an array is EQUALS to one of its elements', () => {
    fc.assert(
      fc.property(found, fc.array(scalars), scalars, (value, list, operand) => {
        expect(holds('IN', value, list)).toBe(list.some((one) => holds('EQUALS', value, one)));
        if (Array.isArray(value)) {
          expect(holds('CONTAINS', value, operand)).toBe(value.some((one) => holds('EQUALS', one, operand)));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a text contains, starts and ends with its parts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, part, after) => {
        expect(holds('CONTAINS', before + part + after, part)).toBe(true);
        expect(holds('STARTS_WITH', part + after, part)).toBe(true);
        expect(holds('ENDS_WITH', before + part, part)).toBe(true);
      }),
    );
  });
});
