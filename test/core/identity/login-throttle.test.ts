import { describe, expect, it } from 'vitest';
import { createLoginThrottle } from '../../../src/core/identity/login-throttle.ts';
import { isApiError } from '../../../src/index.ts';
import { createTestClock } from '../../support/test-server.ts';

const SECOND = 1_000;

function createWorld() {
  const clock = createTestClock();
  const pass = createLoginThrottle(clock);
  const seen = { asked: 0 };
  const enter = async (id: string, answer: Promise<unknown> = Promise.resolve(), from = '10.0.0.1') => {
    const ask = () => {
      seen.asked += 1;
      return answer;
    };
    return pass({ id }, from, ask).then(
      () => 'in',
      (error: unknown) => (isApiError(error) ? `${error.code} ${error.headers['Retry-After'] ?? ''}` : error),
    );
  };
  return { clock, seen, enter };
}

describe('those who are not known yet', () => {
  it('come to the provider once by each login, whatever it answers', async () => {
    const { clock, seen, enter } = createWorld();
    const fault = new Error('no');
    expect(await enter('a', Promise.reject(fault))).toBe(fault);
    expect(await Promise.all([enter('a'), enter('b'), enter('b')])).toEqual([
      'loginLost ',
      'in',
      'loginLost ',
    ]);
    clock.advance(599 * SECOND);
    expect(await enter('b')).toBe('loginLost ');
    expect(seen.asked).toBe(2);
    // By then no login is open any more; it is forgotten.
    clock.advance(1 * SECOND);
    expect(await enter('b')).toBe('in');
  });

  it('are sixteen there at once of one network', async () => {
    const { seen, enter } = createWorld();
    let answer: (value?: unknown) => void = () => undefined;
    const late = new Promise((resolve) => (answer = resolve));
    const first = Array.from({ length: 16 }, (_, i) => enter(`${i}`, late));
    expect(await enter('next')).toBe('signInBusy 1');
    expect(seen.asked).toBe(16);
    const other = enter('other', late, '10.0.0.2');
    expect(seen.asked).toBe(17);
    answer();
    expect(new Set(await Promise.all([...first, other]))).toEqual(new Set(['in']));
    // Who was refused may come again.
    expect(await enter('next')).toBe('in');
  });

  it('are fifty of one network in ten seconds, and take nothing from other networks', async () => {
    const { clock, seen, enter } = createWorld();
    for (let i = 0; i < 300; i++) await enter(`${i}`, undefined, `fd00::${i % 9}`);
    expect(seen.asked).toBe(50);
    expect(await enter('299', undefined, 'fd00::1')).toBe('signInBusy 10');
    expect(await enter('a person', undefined, 'fd00:0:0:1::1')).toBe('in');
    clock.advance(10 * SECOND);
    for (let i = 0; i < 300; i++) await enter(`later ${i}`, undefined, 'fd00::1');
    expect(seen.asked).toBe(101);
  });

  it('are a hundred of all networks in ten seconds, however many there are', async () => {
    const { seen, enter } = createWorld();
    for (let i = 0; i < 300; i++) await enter(`${i}`, undefined, `10.0.0.${i % 100}`);
    expect(seen.asked).toBe(100);
  });

  it('come again where a clock steps back', async () => {
    const { clock, enter } = createWorld();
    clock.advance(3_600 * SECOND);
    for (let i = 0; i < 50; i++) await enter(`${i}`);
    expect(await enter('next')).toBe('signInBusy 10');
    clock.advance(-3_600 * SECOND);
    expect(await enter('next')).toBe('in');
  });
});
