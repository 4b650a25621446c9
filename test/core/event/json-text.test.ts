import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeJsonText } from '../../../src/core/event/json-text.ts';

describe('the parts of a JSON text', () => {
  it('stay as they are without a change', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const closed = (text.match(/"/g) ?? []).length % 2 === 0;
        fc.pre(closed && !text.includes('\\"'));
        expect(changeJsonText(text, {})).toBe(text);
      }),
    );
    expect(changeJsonText('{"a\\"b":"\\\\"}', {})).toBe('{"a\\"b":"\\\\"}');
    expect(changeJsonText('', {})).toBe('');
  });

  it('are strings and what stands between them, each changed by its own function', () => {
    const json = ' {"a\\"b": [1, "", "\\\\"], "c":"d"} ';
    const [strings, others]: string[][] = [[], []];
    const changed = changeJsonText(json, {
      inStrings: (text) => `<${(strings!.push(text), text)}>`,
      betweenStrings: (text) => text.replace(/\s/g, (blank) => (others!.push(blank), '')),
    });
    expect(strings).toEqual(['a\\"b', '', '\\\\', 'c', 'd']);
    expect(others).toHaveLength(6);
    expect(changed).toBe('{"<a\\"b>":[1,"<>","<\\\\>"],"<c>":"<d>"}');
    expect(changeJsonText('12', { inStrings: () => 'x' })).toBe('12');
    expect(changeJsonText('"a"', { betweenStrings: () => '-' })).toBe('-"a"');
  });
});
