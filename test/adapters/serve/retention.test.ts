import { expect, it } from 'vitest';
import { eraseRegularly } from '../../../adapters/serve/index.ts';
import type { EraseExpired } from '../../../src/index.ts';
import { createTestLog } from '../../support/test-server.ts';

it('a server erases at once what is no longer kept, and ends that before its stores close', async () => {
  const steps: string[] = [];
  const erase: EraseExpired = (signal) =>
    new Promise((resolve) => {
      steps.push('begins');
      (signal as AbortSignal).addEventListener('abort', () =>
        setTimeout(() => {
          steps.push('ends');
          resolve();
        }, 20),
      );
    });
  const { stop } = eraseRegularly(erase, createTestLog(), {});
  await Promise.resolve();
  await stop();
  expect(steps).toEqual(['begins', 'ends']);
});

it('an erasure that fails is told of, and does not end the server', async () => {
  const log = createTestLog();
  await eraseRegularly(() => Promise.reject(new Error('away')), log, {}).stop();
  expect(log.entries).toMatchObject([{ level: 'error', message: /not erased/ }]);
});
