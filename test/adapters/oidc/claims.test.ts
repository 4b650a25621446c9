import { describe, expect, it } from 'vitest';
import { nameOf, valuesOf } from '../../../adapters/oidc/claims.ts';

describe('the values of a claim', () => {
  it.each([
    [{ groups: ['a', 'b'] }, 'groups', ['a', 'b']],
    [{ groups: 'a' }, 'groups', ['a']],
    [{ groups: [] }, 'groups', []],
    [{ groups: ['a', 1, null, ['b'], { c: 1 }] }, 'groups', ['a']],
    [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    [{ 'https://x.test/roles': ['a'] }, 'https://x.test/roles', ['a']],
    [{ 'a.b': ['whole'], a: { b: ['parts'] } }, 'a.b', ['whole']],
    [{}, 'groups', undefined],
    [undefined, 'groups', undefined],
    [{ groups: { admins: true } }, 'groups', undefined],
    [{ groups: 5 }, 'groups', undefined],
    [{}, 'constructor.name', undefined],
    [{ groups: ['a'] }, 'groups.length', undefined],
    [{ groups: 'ab' }, 'groups.0', undefined],
  ])('of %j at %s: %j', (claims, claim, values) => {
    expect(valuesOf(claims, claim)).toEqual(values);
  });
});

it('has as many values as there are', () => {
  const groups = Array.from({ length: 5_000 }, (_, i) => `group ${i}`);
  expect(valuesOf({ groups }, 'groups')).toEqual(groups);
});

describe('a name for people', () => {
  it.each([
    [{ preferred_username: 'ada', email: 'a@x.test', email_verified: true }, 'ada'],
    [{ preferred_username: '', email: 'a@x.test', email_verified: true }, 'a@x.test'],
    [{ email: 'root@x.test', email_verified: 'true', name: 'Ada' }, 'Ada'],
    [{ email: 'root@x.test' }, undefined],
    [{ preferred_username: 5, name: 'Ada L.' }, 'Ada L.'],
    [{ name: 'a\0b\nc\ud800' }, 'a b c'],
    [{ name: '\u200b \n' }, undefined],
    // A letter, a sign and a selector that leave no ink.
    [{ preferred_username: '\u3164', name: 'Ada' }, 'Ada'],
    [{ name: '\u2800\u2800' }, undefined],
    [{ name: '\ufe0f' }, undefined],
    [{ name: 'ada\u3164' }, 'ada'],
    // Bidirectional controls and invisible characters could imitate another name.
    [{ name: 'ro\u200bot \u202enimda' }, 'ro ot  nimda'],
    [{}, undefined],
    [undefined, undefined],
  ])('of %j: %j', (claims, name) => {
    expect(nameOf(claims)).toBe(name);
  });

  it('is not longer than a name may be', () => {
    expect(nameOf({ name: 'a'.repeat(5_000) })?.length).toBe(256);
  });

  it('is truncated without leaving half of a character', () => {
    expect(nameOf({ name: `a${'😀'.repeat(254)}` })).toBe(`a${'😀'.repeat(127)}`);
  });
});
