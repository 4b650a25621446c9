import { expect, it } from 'vitest';
import { RETRY_MS, withCircuitBreaker } from '../../../adapters/oidc/circuit-breaker.ts';
import { stopTime } from '../../support/stopped-time.ts';

/** A provider that fails as it is told, and how often it was asked. */
function provider(error: Error | undefined) {
  const state = { asked: 0, error };
  const ask = (question: string) => {
    state.asked += 1;
    return state.error === undefined ? Promise.resolve(question) : Promise.reject(state.error);
  };
  return { state, ask: withCircuitBreaker(ask, (error) => error instanceof TypeError) };
}

it('asks a provider that did not answer again only when some time is over', async () => {
  const clock = stopTime();
  const { state, ask } = provider(new TypeError('fetch failed'));
  await expect(ask('a')).rejects.toMatchObject({ code: 'unavailable', logged: false });
  await expect(ask('b')).rejects.toMatchObject({ code: 'unavailable', logged: true });
  clock.advance(RETRY_MS - 1);
  await expect(ask('c')).rejects.toMatchObject({ code: 'unavailable' });
  expect(state.asked).toBe(1);
  clock.advance(1);
  state.error = undefined;
  expect(await ask('d')).toBe('d');
  expect(await ask('e')).toBe('e');
  expect(state.asked).toBe(3);
});

it('logs once what several callers met at the same time', async () => {
  stopTime();
  const { ask } = provider(new TypeError('fetch failed'));
  const errors = await Promise.all([1, 2, 3].map((n) => ask(String(n)).catch((error: unknown) => error)));
  expect(errors.map((error) => (error as { logged: boolean }).logged)).toEqual([false, true, true]);
});

it('passes on what a provider answered, and asks again at once', async () => {
  const { state, ask } = provider(new RangeError('no such user'));
  await expect(ask('a')).rejects.toThrow('no such user');
  await expect(ask('b')).rejects.toThrow('no such user');
  expect(state.asked).toBe(2);
});
