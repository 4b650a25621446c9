import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureIn, measureText } from '../../../../adapters/dashboard/pages/address/measure.ts';
import { isWithin, moved, readSteps, stepsText } from '../../../../adapters/dashboard/pages/address/steps.ts';
import type { FigureName } from '../../../../src/index.ts';
import { parseBreakdownBody } from '../../../../src/store-kit.ts';
import { takes } from './addresses.ts';

const steps = fc.array(
  fc.record({
    event: fc.string({ maxLength: 20 }),
    filters: fc.array(
      fc.record({
        property: fc.constantFrom('eventName', 'properties.a'),
        comparison: fc.constant('EQUALS' as const),
        value: fc.oneof(fc.string(), fc.integer(), fc.boolean()),
      }),
      { maxLength: 3 },
    ),
  }),
  { minLength: 2, maxLength: 10 },
);

describe('the steps of an address', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(steps, (given) => {
        expect(readSteps(stepsText(given), takes)).toEqual({ steps: given });
      }),
    );
  });

  it('are two open ones where it has none, and these write nothing', () => {
    const read = readSteps('', takes);
    expect(read).toEqual({ steps: [0, 1].map(() => ({ event: '', filters: [] })) });
    expect('steps' in read && stepsText(read.steps)).toBe('');
  });

  it.each([
    ['[', 'unreadable step'],
    ['{}', 'unreadable step'],
    ['[{},5]', 'unreadable step'],
    ['[{},{"event":5}]', 'unreadable step'],
    ['[{}]', '1 steps; it takes 2 to 10'],
    [JSON.stringify(Array.from({ length: 11 }, () => ({}))), '11 steps; it takes 2 to 10'],
    ['[{},{"filterSet":[{"property":"a","comparison":"NO","value":1}]}]', 'unreadable filter'],
    [JSON.stringify([{ event: 'x'.repeat(257) }, {}]), 'unreadable step'],
  ])('are refused in %s', (text, said) => {
    const read = readSteps(text, takes);
    expect('problem' in read && read.problem).toContain(said);
  });

  it('move to another place, and none is lost', () => {
    const at = (event: string) => ({ event, filters: [] });
    const four = ['a', 'b', 'c', 'd'].map(at);
    const names = (from: number, to: number) =>
      moved(four, from, to)
        .map(({ event }) => event)
        .join('');
    expect([names(0, 2), names(3, 0), names(1, 0), names(2, 3)]).toEqual(['bcad', 'dabc', 'bacd', 'abdc']);
  });

  it('take a length of time', () => {
    expect(['1h', '90d', '2w', '30s'].every(isWithin)).toBe(true);
    expect(['', '0d', '7', 'd', '7 d', '7y', '-1d'].some(isWithin)).toBe(false);
  });
});

describe('the measure of an address', () => {
  it.each(['', 'userId: distinct', 'properties.a: sum', 'properties.a: b: p99.9', 'properties.x: p100'])(
    '%j is read as it is written',
    (text) => {
      expect(measureText(measureIn(text)!)).toBe(text);
    },
  );

  it.each(['sum', ': sum', 'eventName: sum', 'properties.a: p101', 'properties.a: median', 'x'])(
    '%j is none',
    (text) => {
      expect(measureIn(text)).toBeUndefined();
    },
  );

  it('is one exactly if the server measures it', () => {
    const digits = fc.array(fc.constantFrom('0', '1', '5', '9', '.'), { minLength: 1, maxLength: 6 });
    const names = digits.map((each) => `p${each.join('')}`);
    fc.assert(
      fc.property(names, (name) => {
        const measures = [{ of: 'properties.a', take: [name as FigureName] }];
        let isMeasured = true;
        try {
          parseBreakdownBody({ measures });
        } catch {
          isMeasured = false;
        }
        expect(measureIn(`properties.a: ${name}`) !== undefined).toBe(isMeasured);
      }),
      { numRuns: 1000 },
    );
  });
});
