import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseKeyOptions,
  parseTenantChanges,
  parseTenantOptions,
} from '../../../src/core/access/admin-options.ts';
import { parseName, toName } from '../../../src/core/access/name.ts';
import type { Tenant } from '../../../src/index.ts';

/** Texts that others could not see, or would take for another one. */
const UNREADABLE = [
  ...['report\u202efdp.exe', 'ada\u2066', 'ada\u200e', '\u061cada', 'a\nb', 'a\rb', 'a\u0085b', 'a\u2028b'],
  ...['a\tb', '\u001b[31mada', 'a\u0000', 'a\u007f', 'ad\u200ba', 'ada\u200d', 'ada\u2060', 'ada\u00ad'],
  ...['\u200b', '\u3164', 'ada\u3164', '\uffa0', '\u115f', '\u2800', 'ada\u2800', '\u034f', 'ada\ufeffb'],
  ...['ada\u{e0041}', '\ufe0f', '\u0301', '\u3000', '', ' ', 'x'.repeat(257), '\ud800'],
];
const READABLE = [
  'ada',
  'Ada Lovelace',
  '東京',
  'żółć',
  'ada ❤\ufe0f',
  '🎉',
  'e\u0301',
  '7',
  '?',
  'می خواهم',
];

describe('a name', () => {
  it.each(READABLE)('may be %j', (name) => {
    expect(parseName(` ${name} `)).toBe(name);
    expect(toName(name)).toBe(name);
  });

  it.each(UNREADABLE)('is refused if it is %j', (name) => {
    expect(() => parseName(name)).toThrow(/^name:/);
    expect(() => parseTenantOptions({ alias: 'shop', plan: 'free', name })).toThrow(/^name:/);
    expect(() => parseTenantChanges({ name }, {} as Tenant)).toThrow(/^name:/);
    expect(() => parseKeyOptions({ name, permissions: ['query'] })).toThrow(/^name:/);
  });

  it('of a provider is a name, or none', () => {
    const text = fc.array(fc.constantFrom(...UNREADABLE, ...READABLE, ' ')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (from) => {
        const name = toName(from);
        if (name !== undefined) expect(parseName(name)).toBe(name);
      }),
    );
  });

  it('says which character is wrong', () => {
    expect(() => parseName('ada\u3164')).toThrow(
      'name: takes no control characters and no invisible ones, got U+3164',
    );
  });
});
