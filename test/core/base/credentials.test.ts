import { expect, it } from 'vitest';
import { hideCredentials } from '../../../src/core/base/credentials.ts';
import { ERRORS } from '../../../src/core/base/errors.ts';
import { ApiError } from '../../../src/index.ts';

const SECRET = `eqk_${'0123456789abcdef'.repeat(4)}`;
const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl-_';

it.each([
  [SECRET, '[hidden]'],
  [`apiKey=${SECRET}&a=b`, 'apiKey=[hidden]&a=b'],
  [`/v1/events/${SECRET}/multi`, '/v1/events/[hidden]/multi'],
  [`"${SECRET.slice(0, 20)}…"`, '"[hidden]…"'],
  [`a ${TOKEN}, ${TOKEN.slice(0, 25)}…`, 'a [hidden], [hidden]…'],
  [`Bearer ${TOKEN}`, 'Bearer [hidden]'],
  ['the keyJar, eqk_ and eqk', 'the keyJar, eqk_ and eqk'],
])('%s', (text, hidden) => {
  expect(hideCredentials(text)).toBe(hidden);
});

it('the texts of the table of errors stay as they are', () => {
  for (const { pattern } of Object.values(ERRORS)) expect(hideCredentials(pattern)).toBe(pattern);
});

it('no refusal tells one', () => {
  expect(new ApiError('invalidRequest', ['body', `unknown key "${SECRET}"`]).message).toBe(
    'body: unknown key "[hidden]"',
  );
});
