import { expect, it } from 'vitest';
import { relay } from '../../../adapters/sql/relay.ts';

it('yields what the work tells, and the work is never ahead of its reader', async () => {
  const log: string[] = [];
  const values = relay<number>(async (tell) => {
    for (let i = 0; i < 3; i++) {
      log.push(`tells ${i}`);
      await tell(i);
    }
    log.push('ended');
  });
  for await (const value of values) {
    log.push(`took ${value}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(log).toEqual(['tells 0', 'took 0', 'tells 1', 'took 1', 'tells 2', 'took 2', 'ended']);
});

it('throws what the work throws, after what it told', async () => {
  const found: number[] = [];
  const failing = relay<number>(async (tell) => {
    await tell(1);
    throw new Error('the engine is gone');
  });
  const reading = (async () => {
    for await (const value of failing) found.push(value);
  })();
  await expect(reading).rejects.toThrow('the engine is gone');
  expect(found).toEqual([1]);
});

it('ends the work when its reader wants no more, and waits for its end', async () => {
  let hasEnded = false;
  const endless = relay<number>(async (tell) => {
    try {
      for (let i = 0; ; i++) await tell(i);
    } finally {
      await new Promise((resolve) => setImmediate(resolve));
      hasEnded = true;
    }
  });
  for await (const value of endless) if (value === 2) break;
  expect(hasEnded).toBe(true);
});

it('yields nothing where nothing is told', async () => {
  for await (const value of relay<number>(() => Promise.resolve())) expect(value).toBe('nothing');
});
