import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScheduler } from '../../../src/transport-kit.ts';
import type { Signal } from '../../../src/index.ts';
import type { JobPriority, Pacer } from '../../../src/store-kit.ts';

/** Jobs alike: how long each works in all, and between two pauses; whether it ends without a pause. */
interface Jobs {
  readonly ms: number;
  readonly stepMs: number;
  readonly endsAtOnce?: boolean;
  readonly priority?: JobPriority;
}

/** Lets everything run that waits for nothing but promises. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A process whose clock goes on by what its jobs work and by `idle`, and how long they worked by owner. */
function createProcess() {
  let time = 0;
  let turns: (() => void)[] = [];
  let sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  const workedMs = new Map<string, number>();
  const scheduler = createScheduler({
    now: () => time,
    nextTurn: () => new Promise<void>((resolve) => turns.push(resolve)),
    sleep: (ms) => new Promise<void>((wake) => sleepers.push({ until: time + ms, wake })),
  });

  function work(owner: string, ms: number): void {
    time += ms;
    workedMs.set(owner, (workedMs.get(owner) ?? 0) + ms);
  }
  const ask = (owner: string, { ms, stepMs, endsAtOnce = false, priority }: Jobs, signal?: Signal) => {
    const job = async (pacer: Pacer) => {
      for (let done = 0; done < ms; done += stepMs) {
        work(owner, stepMs);
        if (!endsAtOnce || done + stepMs < ms) await pacer.yieldIfDue();
      }
    };
    return scheduler.run(owner, signal, job, priority);
  };
  return {
    ask,
    workedMs: (owner: string) => workedMs.get(owner) ?? 0,
    now: () => time,
    /** Keeps a stream going: background jobs, one after the other. */
    stream: (owner: string, jobs: Jobs): void => {
      const signal = { aborted: false };
      const again = async () => {
        for (;;) await ask(owner, { ...jobs, priority: 'background' }, signal);
      };
      void again();
    },
    /** Lets time pass in which nobody works. */
    idle: (ms: number) => void (time += ms),
    /** Keeps so many jobs of an owner waiting or at work, without end. */
    flood: (owner: string, jobs: Jobs, atOnce: number): void => {
      const again = async () => {
        for (;;) await ask(owner, jobs);
      };
      for (let i = 0; i < atOnce; i++) void again();
    },
    /** Keeps so many jobs waiting or at work, each of an owner that was never there before. */
    floodByNewcomers: (jobs: Jobs, atOnce: number): void => {
      let newcomers = 0;
      const again = async () => {
        for (;;) await ask(`newcomer ${newcomers++}`, jobs);
      };
      for (let i = 0; i < atOnce; i++) void again();
    },
    /** Ends a turn of the event loop and lets everything run that can. */
    turn: async (): Promise<void> => {
      await settle();
      const ended = turns;
      turns = [];
      for (const end of ended) end();
      await settle();
      const due = sleepers.filter(({ until }) => until <= time);
      sleepers = sleepers.filter(({ until }) => until > time);
      for (const { wake } of due) wake();
      await settle();
    },
  };
}

/** No turn is longer than two slices: as much is owed whole, also by who usually has little. */
const someJobs: fc.Arbitrary<Jobs> = fc.record({
  ms: fc.oneof(
    fc.constant(0.05),
    fc.double({ min: 0.1, max: 1, noNaN: true }),
    fc.integer({ min: 1, max: 200 }),
  ),
  stepMs: fc.double({ min: 0.1, max: 4, noNaN: true }),
  endsAtOnce: fc.boolean(),
  priority: fc.constantFrom('interactive', 'batch', 'background'),
});
const FOREVER: Jobs = { ms: Infinity, stepMs: 2 };
const TURNS = 200;
/** What three turns of two slices count: how far owners come apart while one waits for the other. */
const BEHIND_MS_MAX = 3 * 4 * 8;

describe('turns of several owners', () => {
  it('leave each owner that waits a quarter of an equal share, whatever the others ask', async () => {
    const others = fc.array(fc.tuple(someJobs, fc.integer({ min: 1, max: 12 })), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(others, fc.constantFrom(0.5, 1, 3), async (floods, stepMs) => {
        const { flood, turn, workedMs, now } = createProcess();
        flood('long', { ms: Infinity, stepMs }, 1);
        floods.forEach(([jobs, atOnce], i) => flood(`other ${i}`, jobs, atOnce));
        const seen: [time: number, worked: number][] = [];
        for (let i = 0; i < TURNS; i++) {
          await turn();
          seen.push([now(), workedMs('long')]);
        }
        const share = 1 / (4 * floods.length + 1);
        const allowance = floods.length * BEHIND_MS_MAX;
        // Of all windows the worst: how far the work falls behind its share at most.
        let ahead = -Infinity;
        for (const [time, worked] of seen) {
          ahead = Math.max(ahead, worked - share * time);
          expect(ahead - (worked - share * time)).toBeLessThanOrEqual(share * allowance);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('leave owners of long jobs the same time, whoever asks beside them', async () => {
    const short = fc.record({ ms: fc.double({ min: 0.05, max: 1, noNaN: true }), atOnce: fc.nat(20) });
    const stepMs = fc.double({ min: 0.5, max: 4, noNaN: true });
    await fc.assert(
      fc.asyncProperty(short, stepMs, stepMs, fc.integer({ min: 1, max: 3 }), async (beside, a, b, many) => {
        const { flood, turn, workedMs } = createProcess();
        flood('short', { ms: beside.ms, stepMs: beside.ms }, beside.atOnce);
        flood('a', { ms: Infinity, stepMs: a }, many);
        flood('b', { ms: Infinity, stepMs: b }, 1);
        for (let i = 0; i < TURNS; i++) await turn();
        expect(Math.abs(workedMs('a') - workedMs('b'))).toBeLessThanOrEqual(BEHIND_MS_MAX / 4);
      }),
      { numRuns: 20 },
    );
  });

  it('are four of five for short jobs beside a long one, and all that is left for the long one', async () => {
    const { flood, turn, workedMs, now } = createProcess();
    flood('long', FOREVER, 4);
    flood('short', { ms: 0.25, stepMs: 0.25 }, 40);
    for (let i = 0; i < TURNS; i++) await turn();
    expect(workedMs('short') / now()).toBeGreaterThan(0.77);
    expect(workedMs('short') / now()).toBeLessThan(0.83);
  });

  it.each([
    ['long ones', FOREVER],
    ['some that take a millisecond', { ms: 0.85, stepMs: 0.85 }],
  ])(
    'come within two or three for who needs more than half of them in short jobs, beside %s',
    async (_, hostile) => {
      const { ask, flood, turn } = createProcess();
      flood('hostile', hostile, 4);
      let now = 0;
      let longest = 0;
      for (; now < TURNS; now++) {
        const came = now;
        const note = () => (longest = Math.max(longest, now - came));
        // Each takes a quarter of a millisecond: together more than half of a slice.
        for (let n = 0; n < 10; n++) void ask('ordinary', { ms: 0.25, stepMs: 0.25 }).then(note);
        await turn();
      }
      expect(longest).toBeLessThanOrEqual(3);
    },
  );

  it.each([false, true])('count for who works in them (which ends at once: %s)', async (endsAtOnce) => {
    const { flood, turn, workedMs, now } = createProcess();
    flood('long', { ms: Infinity, stepMs: 0.5 }, 1);
    flood('again', { ms: 2.8, stepMs: 2.8, endsAtOnce }, 1);
    for (let i = 0; i < TURNS; i++) await turn();
    // Of 2.8 milliseconds the first quarter counts once: 10.5 in all, where the long one counts 11.2.
    expect(workedMs('long') / now()).toBeGreaterThan(0.45);
  });

  it('of a job that goes on are long ones from its second on', async () => {
    const { flood, turn, workedMs } = createProcess();
    flood('long', { ms: Infinity, stepMs: 4 }, 3);
    flood('again', { ms: 4, stepMs: 4, endsAtOnce: true }, 3);
    for (let i = 0; i < TURNS; i++) await turn();
    // The first quarter of each new job counts once: 15.25 for what counts 16 in one that goes on.
    expect(workedMs('long') / workedMs('again')).toBeCloseTo(15.25 / 16, 2);
  });

  it.each([0.25, 1, 4])('come for everybody, however many newcomers of %s ms come', async (ms) => {
    const { ask, floodByNewcomers, turn, now } = createProcess();
    const atOnce = 20;
    floodByNewcomers({ ms, stepMs: ms, endsAtOnce: true }, atOnce);
    // What an owner of short turns owes at most, and what a newcomer's turn counts.
    const [debtMax, most] = [8, 4 * ms];
    const bound = (atOnce + 1) * (9 * debtMax + 2 * most);
    for (let asked = 0; asked < 5; asked++) {
      const came = now();
      let answered = false;
      void ask('tenant', { ms: 2, stepMs: 1 }).then(() => (answered = true));
      while (!answered) {
        await turn();
        // It waits at its pause as well; a counted millisecond is one that was worked, or less.
        expect(now() - came).toBeLessThanOrEqual(2 * bound);
      }
    }
  });

  it('go to who asks little also where its questions take some milliseconds each', async () => {
    const { flood, turn, workedMs, now } = createProcess();
    flood('questions of three milliseconds', { ms: 3, stepMs: 1 }, 4);
    flood('short', { ms: 0.25, stepMs: 0.25 }, 40);
    for (let i = 0; i < TURNS; i++) await turn();
    expect(workedMs('short') / now()).toBeGreaterThan(0.7);
  });
});

describe('streams', () => {
  const PIECE: Jobs = { ms: 8, stepMs: 1 };

  it.each([1, 4])(
    'have a sixth of a process that answers requests, or a fifth (%s of them)',
    async (streams) => {
      const { ask, stream, idle, turn, workedMs, now } = createProcess();
      for (let i = 0; i < streams; i++) stream('streams', PIECE);
      for (let i = 0; i < 10 * TURNS; i++) {
        void ask('asks', { ms: 0.1, stepMs: 0.1 });
        await turn();
        idle(0.9);
      }
      const share = workedMs('streams') / now();
      expect(share).toBeGreaterThan(0.12);
      expect(share).toBeLessThan(0.21);
      expect(workedMs('asks')).toBeCloseTo(TURNS, 0);
    },
  );

  it('have all of an idle process', async () => {
    const { stream, turn, workedMs, now } = createProcess();
    stream('streams', PIECE);
    for (let i = 0; i < TURNS; i++) await turn();
    expect(workedMs('streams')).toBeGreaterThan(3 * TURNS);
    expect(workedMs('streams')).toBe(now());
  });

  it('keep nobody waiting for more than one turn of each', async () => {
    const { ask, stream, turn } = createProcess();
    const streams = 20;
    for (let i = 0; i < streams; i++) stream(`stream ${i}`, PIECE);
    let now = 0;
    let longest = 0;
    for (; now < TURNS; now++) {
      const came = now;
      void ask('asks', { ms: 0.25, stepMs: 0.25 }).then(() => (longest = Math.max(longest, now - came)));
      await turn();
    }
    expect(longest).toBeLessThanOrEqual(streams);
  });
});
