import { expect, it } from 'vitest';
import { DEFAULT_LIMITS, toTickMs } from '../../../adapters/node-http/limits/limits.ts';

it('time is looked at four times within the shorter bound, at most twice a second', () => {
  const tickMs = (handlerTimeoutMs: number, answerTimeoutMs: number) =>
    toTickMs({ ...DEFAULT_LIMITS, handlerTimeoutMs, answerTimeoutMs });
  expect([tickMs(400, 1000), tickMs(1000, 200), tickMs(30_000, 120_000), tickMs(4, 4)]).toEqual([
    100, 50, 500, 10,
  ]);
});
