import { expect, it } from 'vitest';
import { passwordOfBasic, userOfBasic } from '../../../../adapters/sdks/messages/basic.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

it.each([
  [basic('key:'), 'key'],
  [basic('key:password:more'), 'key'],
  [basic('key'), 'key'],
  [basic(':'), ''],
  [basic('key:').replace('Basic', 'BASIC '), 'key'],
  // Some clients leave out what fills up the last four characters.
  [basic('key:').replaceAll('=', ''), 'key'],
  ['', undefined],
  ['Basic', undefined],
  ['Basic a', undefined],
  ['Basic =', undefined],
  ['Basic a b', undefined],
  ['Basic ab-_', undefined],
  ['Bearer a2V5Og==', undefined],
  [basic('x'.repeat(2000)), undefined],
])('%j names the user %j', (header, user) => {
  expect(userOfBasic(header)).toBe(user);
});

it.each([
  [basic('key:'), ''],
  [basic('key'), ''],
  [basic('user:pass:word'), 'pass:word'],
  ['Bearer a2V5Og==', undefined],
  ['Basic a', undefined],
])('%j has the password %j', (header, password) => {
  expect(passwordOfBasic(header)).toBe(password);
});
