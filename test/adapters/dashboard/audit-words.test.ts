import { expect, it } from 'vitest';
import { detailsOf, wordsOf } from '../../../adapters/dashboard/pages/audit/words.ts';

it('an entry says what was done with which kind of credential', () => {
  expect(wordsOf('credential.create', { kind: 'session' })).toBe('signed in');
  expect(wordsOf('credential.create', { kind: 'link' })).toBe('created a sign-in link');
  expect(wordsOf('credential.end', { kind: 'key' })).toBe('revoked an admin key');
  expect(wordsOf('credential.end', {})).toBe('ended a sign-in link, session or admin key');
  expect(wordsOf('key.rotate', {})).toBe('rotated a key');
  expect(wordsOf('constructor', {})).toBe('constructor');
});

it('names tenants by their aliases, all of them by that word, and says nothing twice', () => {
  const aliasOf = (id: string) => (id === '1' ? 'shop' : undefined);
  const details = { id: 'x', kind: 'session', name: 'ada', tenantIds: ['1', '2'] };
  expect(detailsOf(details, aliasOf)).toEqual([
    ['name', 'ada'],
    ['tenants', ['shop', '2']],
  ]);
  expect(detailsOf({ tenantIds: null }, aliasOf)).toEqual([['tenants', 'all']]);
});
