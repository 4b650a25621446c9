import { expect, it } from 'vitest';
import { answerOf, isAway } from '../../../adapters/oidc/refusal.ts';

const ANSWER = 'OAUTH_RESPONSE_BODY_ERROR';

it.each([
  [{ code: ANSWER, error: 'invalid_grant', status: 400 }, 'invalid_grant', false],
  [{ code: ANSWER, error: '<b>no</b>', status: 400 }, 'refused', false],
  [{ code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR', error: 'access_denied' }, 'access_denied', false],
  [{ code: ANSWER, error: 'server_error', status: 500 }, undefined, true],
  [{ code: 'OAUTH_TIMEOUT' }, undefined, true],
  [{ code: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' }, undefined, false],
  [new TypeError('fetch failed'), undefined, true],
])('%j is the answer %j, away: %j', (error, answer, away) => {
  expect([answerOf(error), isAway(error)]).toEqual([answer, away]);
});
