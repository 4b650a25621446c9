import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Scheduler } from '../../../src/index.ts';
import { createScheduler } from '../../../src/transport-kit.ts';
import type { JobPriority, Pacer } from '../../../src/store-kit.ts';

/** Lets everything run that waits for nothing but promises. */
async function settle(): Promise<void> {
  for (let i = 0; i < 200; i++) await Promise.resolve();
}

/** A scheduler whose clock and event loop are turned by hand. */
function byHand() {
  let time = 0;
  let turns: (() => void)[] = [];
  const scheduler = createScheduler({
    now: () => time,
    nextTurn: () => new Promise<void>((resolve) => turns.push(resolve)),
  });
  return {
    scheduler,
    work: (ms: number) => (time += ms),
    /** Ends a turn of the event loop and lets everything run that can. */
    async turn(): Promise<void> {
      await settle();
      const ended = turns;
      turns = [];
      for (const end of ended) end();
      await settle();
    },
  };
}

type Hand = ReturnType<typeof byHand>;

/** A job of some slices that says in `log` when it works. */
function start(
  hand: Hand,
  log: string[],
  owner: string,
  name: string,
  slices = 1,
  priority?: JobPriority,
): Promise<void> {
  const job = async (pacer: Pacer) => {
    for (let i = 0; i < slices; i++) {
      log.push(name);
      hand.work(5);
      await pacer.yieldIfDue();
    }
  };
  return hand.scheduler.run(owner, undefined, job, priority);
}

/** How much of the heap is in use, when all that can go has gone. */
function heapNow(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('a scheduler', () => {
  it('begins at once where nobody works, and returns what the job returns', async () => {
    const hand = byHand();
    expect(await hand.scheduler.run('a', undefined, () => Promise.resolve(7))).toBe(7);
    await expect(hand.scheduler.run('a', undefined, () => Promise.reject(new Error('x')))).rejects.toThrow(
      'x',
    );
  });

  it('does not pause while there is time left, and gives one slice a turn of the event loop', async () => {
    const hand = byHand();
    const log: number[] = [];
    void hand.scheduler.run('a', undefined, async (pacer: Pacer) => {
      for (let i = 0; i < 12; i++) {
        log.push(i);
        hand.work(1);
        await pacer.yieldIfDue();
      }
    });
    await hand.turn();
    expect(log).toHaveLength(8);
    await hand.turn();
    expect(log).toHaveLength(12);
  });

  it('gives turns by owner: who has many jobs waits as often as who has one', async () => {
    const hand = byHand();
    const log: string[] = [];
    for (let i = 0; i < 4; i++) void start(hand, log, 'a', `a${i}`, 2);
    void start(hand, log, 'b', 'b', 2);
    void start(hand, log, 'c', 'c', 2);
    for (let i = 0; i < 20; i++) await hand.turn();
    expect(log.slice(0, 8)).toEqual(['a0', 'b', 'c', 'a0', 'b', 'c', 'a1', 'a2']);
    expect(log).toHaveLength(12);
  });

  it('shares time: short jobs of one owner are not done one for each slice of another', async () => {
    const hand = byHand();
    const log: string[] = [];
    for (const name of ['long 1', 'long 2']) void start(hand, log, 'a', name, 40);
    for (let turn = 0; turn < 10; turn++) {
      for (let i = 0; i < 3; i++) {
        void hand.scheduler.run('b', undefined, () => {
          log.push('short');
          hand.work(1);
          return Promise.resolve();
        });
      }
      await hand.turn();
      await hand.turn();
    }
    expect(log.filter((name) => name === 'short')).toHaveLength(30);
    // The others go on as well.
    expect(log.filter((name) => name !== 'short').length).toBeGreaterThan(8);
  });

  it('takes no wait for work of who ends while it waits', async () => {
    const hand = byHand();
    const log: string[] = [];
    const signal = { aborted: false };
    const ended = hand.scheduler.run('a', signal, async (pacer) => {
      log.push('a');
      hand.work(5);
      await pacer.yieldIfDue();
    });
    signal.aborted = true;
    hand.work(50);
    await Promise.all([hand.turn(), expect(ended).rejects.toMatchObject({ name: 'AbortError' })]);
    for (const owner of ['first', 'a', 'b']) void start(hand, log, owner, owner);
    for (let i = 0; i < 3; i++) await hand.turn();
    expect(log).toEqual(['a', 'first', 'a', 'b']);
  });

  it('does long jobs of one owner one after the other, and lets short ones pass', async () => {
    const hand = byHand();
    const log: string[] = [];
    const ended: string[] = [];
    for (const name of ['a0', 'a1', 'a2']) void start(hand, log, 'a', name, 40).then(() => ended.push(name));
    for (let i = 0; i < 45; i++) await hand.turn();
    // Each is long by now, and the first to come is worked on.
    expect(new Set(log.slice(-6))).toEqual(new Set(['a0']));
    const came = log.length;
    void start(hand, log, 'a', 'short', 3).then(() => ended.push('short'));
    for (let i = 0; i < 7; i++) await hand.turn();
    // Neither stops the other.
    expect(ended).toEqual(['short']);
    expect(log.slice(came, came + 4).filter((name) => name === 'a0')).toHaveLength(2);
    for (let i = 0; i < 90; i++) await hand.turn();
    expect(ended).toEqual(['short', 'a0', 'a1', 'a2']);
  });

  it('does a long batch job behind those that came later', async () => {
    const hand = byHand();
    const log: string[] = [];
    const ended: string[] = [];
    const begin = (name: string, priority?: JobPriority) =>
      void start(hand, log, 'a', name, 40, priority).then(() => ended.push(name));
    begin('batch', 'batch');
    for (let i = 0; i < 20; i++) await hand.turn();
    begin('a0');
    begin('a1');
    for (let i = 0; i < 120; i++) await hand.turn();
    expect(ended).toEqual(['a0', 'a1', 'batch']);
  });

  it('begins with a batch job in the next turn, behind who is answered in this one', async () => {
    const hand = byHand();
    const log: string[] = [];
    void start(hand, log, 'a', 'batch', 1, 'batch');
    await settle();
    expect(log).toEqual([]);
    await hand.turn();
    await settle();
    expect(log).toEqual(['batch']);
  });

  it('keeps what begins in a turn that is used up waiting for the next', async () => {
    const hand = byHand();
    const log: string[] = [];
    void start(hand, log, 'a', 'first');
    await settle();
    void start(hand, log, 'b', 'second');
    await settle();
    expect(log).toEqual(['first']);
    await hand.turn();
    await hand.turn();
    expect(log).toEqual(['first', 'second']);
  });

  it('lets many small jobs share a slice, and who comes new begin before those who worked', async () => {
    const hand = byHand();
    const log: string[] = [];
    const small = (owner: string, name: string) =>
      hand.scheduler.run(owner, undefined, () => {
        log.push(name);
        hand.work(1);
        return Promise.resolve();
      });
    void start(hand, log, 'a', 'long');
    for (let i = 0; i < 6; i++) void small('b', `b${i}`);
    void small('c', 'c');
    await settle();
    expect(log).toEqual(['long']);
    await hand.turn();
    expect(log).toEqual(['long', 'b0', 'c', 'b1', 'b2']);
    void small('d', 'd');
    await hand.turn();
    expect(log.slice(5)).toEqual(['d', 'b3', 'b4', 'b5']);
  });

  it('lets who asks a little wait for a slice or two, however many owners have long jobs', async () => {
    const hand = byHand();
    const log: string[] = [];
    for (let owner = 0; owner < 20; owner++) {
      void hand.scheduler.run(`long ${owner}`, undefined, async (pacer) => {
        for (let step = 0; step < 200; step++) {
          log.push('long');
          hand.work(4 + ((owner * 7 + step * 3) % 10) / 10);
          await pacer.yieldIfDue();
        }
      });
    }
    for (let i = 0; i < 100; i++) await hand.turn();
    for (let i = 0; i < 10; i++) {
      const before = log.length;
      void start(hand, log, 'little', 'little');
      for (let turn = 0; turn < 40; turn++) await hand.turn();
      expect(log.indexOf('little', before) - before).toBeLessThanOrEqual(3);
    }
  });

  it('lets nobody save up turns while asking for nothing, and nobody owe more than two', async () => {
    const hand = byHand();
    const log: string[] = [];
    for (const owner of ['a', 'b']) void start(hand, log, owner, owner, 100);
    for (let i = 0; i < 40; i++) await hand.turn();
    void start(hand, log, 'late', 'late', 100);
    const before = log.length;
    for (let i = 0; i < 30; i++) await hand.turn();
    const since = log.slice(before);
    for (const owner of ['a', 'b', 'late']) {
      expect(Math.abs(since.filter((name) => name === owner).length - 10)).toBeLessThanOrEqual(1);
    }
    // One step that takes a second, such as one in which the machine slept.
    const waited = hand.scheduler.run('waits', undefined, () => Promise.resolve(hand.work(1000)));
    for (let i = 0; i < 3; i++) await hand.turn();
    await waited;
    const asked = log.length;
    void start(hand, log, 'waits', 'waits', 1);
    for (let i = 0; i < 40; i++) await hand.turn();
    expect(log.indexOf('waits') - asked).toBeGreaterThan(0);
    expect(log.indexOf('waits') - asked).toBeLessThanOrEqual(8);
  });

  it('gives no more time to who works for forty milliseconds at once than to who pauses often', async () => {
    const hand = byHand();
    const workedMs = { coarse: 0, fine: 0 };
    for (const [owner, stepMs] of [['coarse', 40] as const, ['fine', 4] as const]) {
      void hand.scheduler.run(owner, undefined, async (pacer) => {
        for (;;) {
          hand.work(stepMs);
          workedMs[owner] += stepMs;
          await pacer.yieldIfDue();
        }
      });
    }
    for (let turn = 0; turn < 1000; turn++) await hand.turn();
    expect(workedMs.coarse / workedMs.fine).toBeLessThan(1.2);
    expect(workedMs.coarse / workedMs.fine).toBeGreaterThan(0.8);
  });

  it('lets who waits for a disk again and again wait for two slices of each afterwards', async () => {
    const hand = byHand();
    const log: string[] = [];
    for (let owner = 0; owner < 10; owner++) void start(hand, log, `long ${owner}`, 'long', 200);
    for (let time = 1; time <= 4; time++) {
      let stored: () => void = () => undefined;
      const storing = hand.scheduler.run('little', undefined, () => {
        log.push('stores');
        return new Promise<void>((resolve) => (stored = resolve));
      });
      while (log.filter((name) => name === 'stores').length < time) await hand.turn();
      // Another question of the same owner keeps it in line meanwhile.
      void start(hand, log, 'little', 'other');
      for (let turn = 0; turn < 10; turn++) {
        await hand.turn();
        // Between the turns of others the disk takes its time as well.
        hand.work(5);
      }
      stored();
      await storing;
    }
    const before = log.length;
    void start(hand, log, 'little', 'little');
    // Fifty milliseconds of waiting each time would be ten slices of each.
    for (let turn = 0; turn < 36; turn++) await hand.turn();
    expect(log.slice(before)).toContain('little');
  });

  it('forgets what was worked when nobody waits any more', async () => {
    const hand = byHand();
    const log: string[] = [];
    await hand.scheduler.run('a', undefined, () => hand.work(30));
    await hand.turn();
    void start(hand, log, 'x', 'x');
    for (const owner of ['a', 'b']) void start(hand, log, owner, owner);
    for (let i = 0; i < 6; i++) await hand.turn();
    expect(log).toEqual(['x', 'a', 'b']);
  });

  it('remembers nobody who has done less than those who wait', async () => {
    let time = 0;
    const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
    const scheduler = createScheduler({ now: () => time, nextTurn });
    let done = false;
    const long = scheduler.run('long', undefined, async (pacer) => {
      while (!done) {
        time += 5;
        await pacer.yieldIfDue();
      }
    });
    const before = heapNow();
    for (let i = 0; i < 20_000; i++) await scheduler.run(`owner ${i}`, undefined, () => (time += 1));
    const grown = heapNow() - before;
    done = true;
    await long;
    // An owner that stays takes about half a kilobyte.
    expect(grown).toBeLessThan(4_000_000);
  });

  it('lets nobody begin before those who wait, although there is time left in the slice', async () => {
    const hand = byHand();
    const log: string[] = [];
    let answer: () => void = () => undefined;
    void start(hand, log, 'a', 'long');
    // The first of two that wait begins, works a little, and waits for its disk.
    void hand.scheduler.run('b', undefined, () => {
      log.push('first');
      hand.work(1);
      return new Promise<void>((resolve) => (answer = resolve));
    });
    void start(hand, log, 'c', 'second');
    await hand.turn();
    expect(log).toEqual(['long', 'first']);
    void start(hand, log, 'd', 'late');
    answer();
    for (let i = 0; i < 5; i++) await hand.turn();
    expect(log).toEqual(['long', 'first', 'second', 'late']);
  });

  it('lets one work at a time, and waits until the next turn for who waits for a disk', async () => {
    const hand = byHand();
    const log: string[] = [];
    let answer: () => void = () => undefined;
    const short = (name: string) => hand.scheduler.run(name, undefined, () => void log.push(name));
    const steps = (name: string) =>
      hand.scheduler.run(name, undefined, async () => {
        for (let step = 1; step <= 2; step++) {
          log.push(`${name} ${step}`);
          hand.work(1);
          await settle();
        }
      });
    const disk = hand.scheduler.run('disk', undefined, () => new Promise<void>((done) => (answer = done)));
    await hand.turn();
    void short('later');
    expect(log).toEqual(['later']);
    await settle();
    void hand.scheduler.run('disk', undefined, () => new Promise<void>(() => undefined));
    void short('meanwhile');
    await settle();
    expect(log).toEqual(['later']);
    await hand.turn();
    expect(log).toEqual(['later', 'meanwhile']);
    // Whoever waited for the disk ends beside another's steps, and begins nobody between them.
    void steps('a');
    void steps('b');
    answer();
    await disk;
    for (let i = 0; i < 4; i++) await hand.turn();
    expect(log).toEqual(['later', 'meanwhile', 'a 1', 'a 2', 'b 1', 'b 2']);
  });

  it('passes on the slice of a job that fails', async () => {
    const hand = byHand();
    const log: string[] = [];
    const failed = hand.scheduler.run('a', undefined, async () => {
      await Promise.resolve();
      hand.work(1);
      throw new Error('fails');
    });
    void start(hand, log, 'b', 'b');
    await expect(failed).rejects.toThrow('fails');
    await settle();
    expect(log).toEqual(['b']);
  });

  it('remembers within a slice what was worked, although nobody waits for a moment', async () => {
    const hand = byHand();
    const log: string[] = [];
    await hand.scheduler.run('a', undefined, () => hand.work(3));
    for (const owner of ['x', 'a', 'b']) void start(hand, log, owner, owner);
    for (let i = 0; i < 6; i++) await hand.turn();
    expect(log).toEqual(['x', 'b', 'a']);
  });

  it('counts once what may have been a wait for a disk', async () => {
    const hand = byHand();
    const log: string[] = [];
    let stored: () => void = () => undefined;
    void start(hand, log, 'x', 'x', 9);
    void hand.scheduler.run('a', undefined, () => new Promise<void>((resolve) => (stored = resolve)));
    void hand.scheduler.run('b', undefined, () => hand.work(2));
    void hand.scheduler.run('c', undefined, async () => {
      hand.work(1);
      stored();
      await settle();
      hand.work(4);
    });
    for (let i = 0; i < 2; i++) await hand.turn();
    for (const owner of ['b', 'a']) void start(hand, log, owner, owner);
    for (let i = 0; i < 3; i++) await hand.turn();
    expect(log.filter((name) => name !== 'x')).toEqual(['a', 'b']);
  });

  it('takes no wait for a disk for work, although nobody else asked meanwhile', async () => {
    const hand = byHand();
    const log: string[] = [];
    let read: () => void = () => undefined;
    const reading = hand.scheduler.run('a', undefined, () => new Promise<void>((done) => (read = done)));
    for (let i = 0; i < 3; i++) await hand.turn();
    hand.work(1000);
    read();
    await reading;
    void hand.scheduler.run('a', undefined, async (pacer) => {
      hand.work(30);
      await pacer.yieldIfDue();
      log.push('a');
    });
    void start(hand, log, 'b', 'b', 40);
    for (let i = 0; i < 60; i++) await hand.turn();
    expect(log.indexOf('a')).toBeLessThanOrEqual(2);
  });

  it('takes nobody for long who waited long for a disk', async () => {
    const hand = byHand();
    const log: string[] = [];
    let read: () => void = () => undefined;
    void start(hand, log, 'a', 'long', 40);
    for (let i = 0; i < 20; i++) await hand.turn();
    void hand.scheduler.run('a', undefined, async (pacer) => {
      await new Promise<void>((done) => (read = done));
      await pacer.yieldIfDue();
      log.push('short');
    });
    for (let i = 0; i < 4; i++) await hand.turn();
    hand.work(100);
    read();
    await settle();
    const before = log.length;
    for (let i = 0; i < 6; i++) await hand.turn();
    // Long ones of an owner go on one after the other.
    expect(log.slice(before)).toContain('short');
  });

  it('ends jobs that nobody waits for: before they begin, at their pauses, and while they wait', async () => {
    const hand = byHand();
    const signal = { aborted: false };
    const log: string[] = [];
    const gone = hand.scheduler.run('a', { aborted: true }, () => Promise.resolve(log.push('gone')));
    await expect(gone).rejects.toMatchObject({ name: 'AbortError' });
    const working = hand.scheduler.run('a', signal, async (pacer) => {
      for (;;) {
        log.push('step');
        hand.work(1);
        await pacer.yieldIfDue();
      }
    });
    await settle();
    const waiting = hand.scheduler.run('b', signal, () => Promise.resolve(log.push('waiting')));
    const ended = Promise.allSettled([working, waiting]);
    await settle();
    const steps = log.length;
    signal.aborted = true;
    const after = start(hand, log, 'c', 'after');
    await hand.turn();
    await hand.turn();
    for (const { status, ...rest } of await ended) {
      expect(status).toBe('rejected');
      expect(rest).toMatchObject({ reason: { name: 'AbortError' } });
    }
    expect(log.slice(steps)).toEqual(['after']);
    await hand.turn();
    await after;
  });

  it('lets input and output run between slices', async () => {
    const scheduler: Scheduler = createScheduler({
      now: () => performance.now(),
      nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
    });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    await Promise.all(
      ['a', 'b'].map((owner) =>
        scheduler.run(owner, undefined, async (pacer) => {
          const until = performance.now() + 10_000;
          while (ticks <= 2 && performance.now() < until) await pacer.yieldIfDue();
        }),
      ),
    );
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(2);
  });

  it('tells how long an owner waits for its next turn, and not how much one asks', async () => {
    const hand = byHand();
    const log: string[] = [];
    for (let i = 0; i < 400; i++) void start(hand, log, 'many', 'm');
    for (let i = 0; i < 250; i++) await hand.turn();
    // Its last has waited for more than a second, but every turn was its own.
    expect(hand.scheduler.longestWaitMs!()).toBeLessThan(20);
    void hand.scheduler.run('other', undefined, () => undefined);
    hand.work(700);
    expect(hand.scheduler.longestWaitMs!()).toBeGreaterThanOrEqual(700);
  });

  it('tells the longest wait of the last five seconds, although others were shorter since', async () => {
    const hand = byHand();
    const waitFor = async (ms: number) => {
      let end = (): void => undefined;
      const open = new Promise<void>((resolve) => (end = resolve));
      const jobs = [hand.scheduler.run('busy', undefined, () => open)];
      for (const owner of ['other', 'other'])
        jobs.push(hand.scheduler.run(owner, undefined, () => undefined));
      hand.work(ms);
      await hand.turn();
      end();
      await hand.turn();
      await Promise.all(jobs);
    };
    const longest = () => hand.scheduler.longestWaitMs!();
    expect(longest()).toBe(0);
    await waitFor(700);
    expect(longest()).toBe(700);
    await waitFor(20);
    hand.work(4980);
    expect(longest()).toBe(700);
    hand.work(1);
    expect(longest()).toBe(0);
    for (const [ms, told] of [
      [30, 30],
      [10, 30],
      [40, 40],
    ] as const) {
      await waitFor(ms);
      expect(longest()).toBe(told);
    }
    hand.work(5001);
    await waitFor(5);
    expect(longest()).toBe(5);
  });
});
