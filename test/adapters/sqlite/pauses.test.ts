import { expect, it } from 'vitest';
import { idlePauses } from '../../../adapters/sqlite/log/pauses.ts';

it('a rest takes in what came meanwhile, however long the step before it took', async () => {
  const order: string[] = [];
  const { sleep } = idlePauses();
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

it('says how much of the time the event loop was at work', async () => {
  const { sleep, busyShare } = idlePauses();
  const share = () => sleep(20).then(busyShare);
  await expect.poll(share).toBeLessThan(1);
  busyShare();
  for (const end = performance.now() + 20; performance.now() < end;);
  expect(busyShare()).toBe(1);
});
