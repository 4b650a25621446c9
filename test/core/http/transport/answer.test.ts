import { expect, it } from 'vitest';
import { begin, toErrorAnswer } from '../../../../src/core/http/transport/answer.ts';
import { ApiError } from '../../../../src/index.ts';
import { toRequest } from '../../../support/plain-api.ts';

const ORIGIN = 'https://shop.example';

it('a page reads why it was refused, and nothing is told to one where there was no request', () => {
  const request = toRequest({ target: '/v1/events/acme/multi', headers: { origin: ORIGIN } });
  const headersOf = (...from: [typeof request] | []) =>
    toErrorAnswer(new ApiError('overloaded'), 'id', ...from).headers;
  expect(headersOf(request)['Access-Control-Allow-Origin']).toBe(ORIGIN);
  expect(headersOf()['Access-Control-Allow-Origin']).toBe(undefined);
});

it('an answer that has no piece is a text without a letter', async () => {
  const pieces = async function* (list: readonly string[]) {
    for (const piece of list) yield await Promise.resolve(piece);
  };
  const answer = { status: 200, headers: {} };
  expect(await begin({ ...answer, body: pieces([]) })).toEqual({ ...answer, body: '' });
  expect(await begin({ ...answer, body: pieces(['a', 'b']) })).toMatchObject({ ...answer, first: 'a' });
});
