import type { LiveAttack } from './arena.ts';
import { flood, toWords, unexpected } from './flood.ts';

const BYTES = 1_048_576;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const filled = (part: string, bytes = BYTES - 8) => Buffer.alloc(bytes, part, 'latin1').toString('latin1');

/** Bodies whose JSON is wrapped, so that a server reads them whole before it knows their sender. */
const WRAPPED: Readonly<Record<string, readonly [path: string, body: () => string, headers?: object]>> = {
  'halves of characters in Base64': [
    '/v1/posthog/closed/batch?compression=base64',
    () => Buffer.from(filled('\xed\xa0\x80', 780_000), 'latin1').toString('base64'),
  ],
  'minus signs in Base64': ['/v1/posthog/open/batch?compression=base64', () => filled('-')],
  'blanks in Base64': ['/v1/posthog/open/batch?compression=base64', () => filled(' ')],
  'pluses in a form': ['/v1/mixpanel/open/track', () => `data=${filled('+')}`, FORM],
  'escapes in a form': ['/v1/mixpanel/closed/track', () => `data=${filled('%C3%A9')}`, FORM],
  'strings without an end': ['/v1/posthog/closed/batch', () => `{"a":"${filled('\\"')}`],
  'members before the key': ['/v1/segment/closed/v1/batch', () => `{${filled('"a":0,')}"b":0}`],
};

/** Row 7: what a stranger sends before a key is found in it. */
export const wrappedBodies: readonly LiveAttack[] = Object.entries(WRAPPED).map(
  ([what, [path, toBody, headers]]) => ({
    name: `wrapped-${what.replaceAll(' ', '-').toLowerCase()}`,
    what: `1 MB of ${what}, six at once, without a key`,
    run: async ({ tenant, cli, server }, { quick }) => {
      await tenant('open');
      await tenant('closed');
      await cli('tenant', 'set', 'closed', '--auth', 'SERVER_SIDE');
      const body = toBody();
      const total = quick ? 100 : 500;
      const shot = () => ({
        path,
        body,
        headers: { 'Content-Type': 'application/json', ...headers },
      });
      const tally = await flood(server().origin, {
        connections: 6,
        total,
        seconds: 30,
        shot,
      });
      return {
        size: `${total} of 1 MB`,
        answers: `${toWords(tally)}, the slowest after ${(tally.slowestMs / 1000).toFixed(1)} s`,
        wrong: unexpected(tally, '400', '401', '413', '429', '503'),
      };
    },
  }),
);
