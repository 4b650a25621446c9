import { expect, it } from 'vitest';
import { sleep } from '../../../adapters/sqlite/log/pauses.ts';

it('a rest takes in what came meanwhile, however long the step before it took', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      for (const began = performance.now(); performance.now() - began < 20;) continue;
      setImmediate(() => order.push('what came'));
      void sleep(5).then(() => {
        order.push('rested');
        resolve();
      });
    }, 1);
  });
  expect(order).toEqual(['what came', 'rested']);
});
