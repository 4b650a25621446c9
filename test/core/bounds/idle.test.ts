import { expect, it } from 'vitest';
import { createIdleWork } from '../../../src/core/bounds/idle.ts';
import type { Pacer } from '../../../src/store-kit.ts';
import { nodeScheduler } from '../columns/fixtures.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await turn();
};

/** Idle work by a clock that stands still but for what a job says that it took. */
function idleOf(
  work: (owner: string, pacer: Pacer, take: (ms: number) => void) => Promise<void>,
  busyShare: () => number = () => 0,
) {
  const rests: number[] = [];
  let now = 0;
  const sleep = (ms: number) => {
    rests.push(ms);
    return turn();
  };
  const scheduler = nodeScheduler();
  const idle = createIdleWork((owner, pacer) => work(owner, pacer, (ms) => (now += ms)), {
    ...{ scheduler, now: () => now, sleep, busyShare },
  });
  return { idle, rests, scheduler };
}

it('works once for each owner that was noted, also when work for one of them fails', async () => {
  const done: string[] = [];
  const { idle } = idleOf((owner) => {
    done.push(owner);
    return owner === 'b' ? Promise.reject(new Error('no')) : Promise.resolve();
  });
  for (const owner of ['a', 'b', 'a', 'c']) idle.note(owner);
  await turns(20);
  expect(done).toEqual(['a', 'b', 'c']);
  idle.note('b');
  await turns(20);
  expect(done).toEqual(['a', 'b', 'c', 'b']);
});

it('works again for an owner that was noted while it worked', async () => {
  const done: string[] = [];
  const { idle } = idleOf((owner) => {
    if (done.push(owner) === 1) idle.note(owner);
    return Promise.resolve();
  });
  idle.note('a');
  await turns(20);
  expect(done).toEqual(['a', 'a']);
});

it('takes two thirds of what others left in its last rest', async () => {
  let asked = 0;
  /** What is asked for as a rest begins is of its own work, and may be anything. */
  const shares = [0, 0.5, 0.75, 1, 0, 0];
  const busyShare = () => (asked++ % 2 === 0 ? 0.9 : shares.shift()!);
  const { idle, rests } = idleOf(async (_owner, pacer, take) => {
    for (const ms of [4, 4, 4, 4, 4, 20, 200]) {
      take(ms);
      await pacer.yieldIfDue();
    }
  }, busyShare);
  idle.note('a');
  await turns(30);
  // Before the first rest it knows nothing of others; no rest is longer than fifty milliseconds.
  expect(rests).toEqual([1000, 50, 2, 8, 20, 50, 10, 50, 1000]);
});

it('rests longer beside a question that nobody noted', async () => {
  let pauses = 0;
  const { idle, rests, scheduler } = idleOf(async (_owner, pacer, take) => {
    for (; pauses < 4; pauses++) {
      take(4);
      await pacer.yieldIfDue();
    }
  });
  idle.note('a');
  await scheduler.run('b', undefined, async (pacer) => {
    while (pauses < 4) {
      for (const end = performance.now() + 5; performance.now() < end;);
      await pacer.yieldIfDue();
    }
  });
  // One rest of each pause, and one more since the turn did not come at once.
  expect(rests.slice(0, 9)).toEqual([1000, 50, 2, 2, 2, 2, 2, 2, 2]);
});

it('ends at its next pause when it is stopped, and begins no more', async () => {
  let ended: unknown;
  let steps = 0;
  const { idle, rests } = idleOf(async (_owner, pacer, take) => {
    try {
      for (;;) {
        steps += 1;
        take(1);
        await pacer.yieldIfDue();
      }
    } catch (error) {
      ended = error;
      throw error;
    }
  });
  idle.note('a');
  await turns(20);
  idle.stop();
  await turns(20);
  expect(ended).toMatchObject({ name: 'AbortError' });
  const before = [steps, rests.length];
  idle.note('b');
  await turns(20);
  expect([steps, rests.length]).toEqual(before);
});

it('begins with no other owner when it was stopped at the first', async () => {
  const done: string[] = [];
  const { idle } = idleOf((owner) => {
    done.push(owner);
    idle.stop();
    return Promise.resolve();
  });
  for (const owner of ['a', 'b']) idle.note(owner);
  await turns(20);
  expect(done).toEqual(['a']);
});

it('lets a thousand owners wait and no more', async () => {
  const done: string[] = [];
  const { idle } = idleOf((owner) => Promise.resolve(void done.push(owner)));
  for (let i = 0; i < 1500; i++) idle.note(`owner ${i}`);
  await turns(3000);
  expect(done).toHaveLength(1000);
  idle.note('owner 1499');
  await turns(20);
  expect(done.at(-1)).toBe('owner 1499');
});

it('rests for what it did since the last rest, and only after a few milliseconds', async () => {
  const { idle, rests } = idleOf(async (_owner, pacer, take) => {
    for (const ms of [0, 4, 4, 1, 2, 8, 3]) {
      take(ms);
      await pacer.yieldIfDue();
    }
  });
  idle.note('a');
  await turns(20);
  expect(rests).toEqual([1000, 50, 2, 6, 1000]);
});
