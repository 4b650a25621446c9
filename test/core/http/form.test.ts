import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldOf } from '../../../src/core/http/form.ts';

describe('a field of a form', () => {
  it.each([
    ['data=1', '1'],
    ['a=2&data=1&data=3', '1'],
    ['data=', ''],
    ['data=a+b%20c', 'a b c'],
    ['data=%C3%BC', 'ü'],
    ['data=a=b', 'a=b'],
    ['xdata=1&a=data=2', undefined],
    ['data', undefined],
    ['', undefined],
    ['data=%', undefined],
    ['data=%FF', undefined],
  ])('of %j is %j', (form, value) => expect(fieldOf(form, 'data')).toBe(value));

  it('is what URLSearchParams wrote', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.string({ unit: 'binary' })),
        (fields) => {
          const wellFormed = Object.entries(fields).map(([name, value]): [string, string] => [
            name,
            value.toWellFormed(),
          ]);
          const form = new URLSearchParams(wellFormed).toString();
          for (const [name, value] of wellFormed) expect(fieldOf(form, name)).toBe(value);
        },
      ),
    ));
});
