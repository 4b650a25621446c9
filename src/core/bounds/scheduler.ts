import { aborted } from '../base/errors.ts';
import { NO_LABELS, SILENT_METER, type Meter } from '../base/metrics.ts';
import type { Signal } from '../base/signal.ts';
import { createBackground } from './background.ts';
import { createFairQueue } from './fair-queue.ts';
import { createLine, type Waiter } from './line.ts';

/** Lets a long job yield to others. */
export interface Pacer {
  /** A clock for durations, in milliseconds. */
  now(): number;
  /**
   * Returns undefined while this slice has time left, so that a job may ask often; otherwise a promise of
   * the owner's next slice. Throws `aborted()` if no client waits for the job any more.
   */
  yieldIfDue(): Promise<void> | undefined;
  /** Tells the job's client how far the index is that the job builds. Absent: no client asks for that. */
  readonly note?: Signal['note'];
}

/**
 * How urgent a job is. `interactive`: a client waits for it. `batch`: it begins after the requests that are
 * answered in this turn of the event loop, and a long one after later jobs of its owner. `background`: the
 * jobs of one signal are a stream; if a request has come since its last job, the next one begins after a
 * rest of 40 ms, or longer if other streams rest too. So one stream has about a sixth of a busy process,
 * many have a fifth together, and all of an idle process is theirs. Without a signal a background job does
 * not rest.
 */
export type JobPriority = 'interactive' | 'batch' | 'background';

/** Gives turns to the jobs of a process. */
export interface Scheduler {
  /**
   * Runs a job of an owner: the id of a tenant, or a client's address where no tenant is known yet. It begins
   * when the owner has a turn; each `yieldIfDue` of its pacer may end that turn. A long job comes after the
   * long ones of its owner that came before it. The priority is `interactive` by default.
   */
  run<T>(
    owner: string,
    signal: Signal | undefined,
    job: (pacer: Pacer) => T | Promise<T>,
    priority?: JobPriority,
  ): Promise<T>;
  /**
   * The longest time that an owner has waited for its next turn, in milliseconds: among the owners that
   * wait now and those that waited in the last few seconds; 0 if none did. Requests of an owner beyond its
   * share do not count, because they keep no other owner waiting. Absent: unknown.
   */
  longestWaitMs?(): number;
}

/** What a scheduler works with. */
export interface SchedulerOptions {
  /** A clock for durations, in milliseconds. */
  readonly now: () => number;
  /** Resolves in the next turn of the event loop, after new connections were accepted. */
  readonly nextTurn: () => Promise<void>;
  /** Resolves after as many milliseconds; without it, background jobs do not rest. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
  /** Where waits are reported. Default: nowhere. */
  readonly meter?: Meter;
}

/** How long jobs work in one turn of the event loop. */
const SLICE_MS = 4;
/**
 * The most that an owner of short turns can owe. Its next job then waits for a slice or two of each other
 * owner: its last turn may have been long only because of a disk or of garbage collection.
 */
const DEBT_MS_MAX = 2 * SLICE_MS;

/**
 * How long a job works before its time is charged at a higher rate. Most column queries are answered by then.
 * With a whole millisecond, pages of a thousand events counted as short jobs. Requests of another tenant that
 * needed a little more than half of the turns then waited for seconds, and were refused.
 */
const BRIEF_MS = 0.25;
/** The factor by which each later millisecond of a job is charged. */
const LATER_TIMES = 4;

/** How long a finished wait is still reported. */
const LATELY_MS = 5_000;

/** More jobs than any process ever has: the numbers of batch jobs begin here. */
const BATCH = 2 ** 50;
/** The number of no job. */
const NOBODY = -1;

/**
 * Makes a scheduler. In each turn of the event loop, jobs work for one slice. The next job belongs to the
 * owner that has worked least. Time past a job's first quarter of a millisecond counts fourfold. So a short
 * job waits for little more than the open slice, and short jobs have four fifths of the time next to
 * another owner's long job. Every waiting owner has at least a quarter of an equal share, however many jobs
 * the others have. With equal shares, one expensive query after the other took half of the time, and the
 * queue of an owner that needed a little more than half grew without end. The line of an owner orders the
 * owner's own jobs.
 *
 * @see Goyal, Vin and Cheng, "Start-time fair queuing", SIGCOMM 1996, for the turns of owners; Corbató,
 * Merwin-Daggett and Daley, "An experimental time-sharing system", 1962, for what a job has had so far.
 */
export function createScheduler({ now, nextTurn, sleep, meter = SILENT_METER }: SchedulerOptions): Scheduler {
  const queue = createFairQueue<Waiter>({ createLine, debtMax: DEBT_MS_MAX });
  const background = createBackground(sleep);
  let jobs = 0;
  let sliceOpen = false;
  let sliceEnd = 0;
  // One job works at a time, so that elapsed time belongs to a known job. Otherwise another's whole job, run
  // between two steps of a job that awaits a settled promise, would be charged to it. Only a job that returns
  // from a disk in a later slice continues next to the current one.
  let atWork = NOBODY;
  const waits = createWaits(now);

  function openSlice(): void {
    sliceOpen = true;
    sliceEnd = now() + SLICE_MS;
    void nextTurn().then(endSlice);
  }

  function endSlice(): void {
    sliceOpen = false;
    // A job that is still open waits for a disk or another process, and must not keep others waiting.
    atWork = NOBODY;
    const next = takeNext();
    if (next === undefined) return;
    openSlice();
    giveTurn(next);
  }

  /**
   * A job that ends early leaves the rest of the slice to waiting jobs. If none waits, the queue is not
   * asked: that would end its era, and it would forget who has worked how much.
   */
  function passOn(): void {
    if (atWork !== NOBODY || queue.length === 0 || now() >= sliceEnd) return;
    const next = takeNext();
    if (next !== undefined) giveTurn(next);
  }

  function giveTurn({ number, begin }: Waiter): void {
    atWork = number;
    begin();
  }

  /** The next job whose client still waits; the others end here. */
  function takeNext(): Waiter | undefined {
    for (let job = queue.next(); job !== undefined; job = queue.next()) {
      if (job.signal?.aborted !== true) return job;
      job.fail(aborted());
    }
    return undefined;
  }

  /** Whether this slice has time left; opens a slice if there is none. Throws if no client waits. */
  function mayGoOn(signal: Signal | undefined): boolean {
    if (signal?.aborted === true) throw aborted();
    if (!sliceOpen) openSlice();
    return now() < sliceEnd;
  }

  function waitForTurn(
    owner: string,
    { signal, number, workedMs }: Pick<Waiter, 'signal' | 'number' | 'workedMs'>,
  ): Promise<void> {
    waits.begin(owner);
    return new Promise<void>((begin, fail) => {
      // V8 gives an object made by spread its own shape each time, which costs more than all the rest of the
      // waiting.
      queue.add(owner, { signal, number, workedMs, begin, fail });
    });
  }

  /** What a job waits for before it asks for a turn. */
  function stepAside(
    owner: string,
    signal: Signal | undefined,
    priority: JobPriority,
  ): Promise<void> | undefined {
    if (priority === 'batch') return nextTurn();
    if (priority === 'background') return background.rest(owner, signal);
    background.note(signal);
    return undefined;
  }

  return {
    longestWaitMs: () => waits.longestMs(),
    async run(owner, signal, job, priority = 'interactive') {
      const stepsAside = stepAside(owner, signal, priority);
      if (stepsAside !== undefined) await stepsAside;
      const number = jobs++ + (priority === 'batch' ? BATCH : 0);
      let workedMs = 0;
      let turnBegan = 0;
      const wait = async () => {
        const askedAt = now();
        try {
          await waitForTurn(owner, { signal, number, workedMs });
        } finally {
          // A job that ends while it waits has not worked meanwhile.
          turnBegan = now();
          waits.end(owner);
          meter.observe('event_query_scheduler_wait_seconds', NO_LABELS, (turnBegan - askedAt) / 1000);
        }
      };
      const endTurn = () => {
        const ms = now() - turnBegan;
        // A job that returns after its slice has ended has waited, so its working time is unknown.
        const isGuess = atWork !== number;
        queue.charge(owner, isGuess ? ms : costOf(ms, workedMs), isGuess);
        if (isGuess) return;
        workedMs += ms;
        atWork = NOBODY;
      };
      const pause = () => {
        if (mayGoOn(signal)) return undefined;
        endTurn();
        return wait();
      };
      // A job begins in the same step that checked the time: of many jobs that arrive at once, each checks
      // after the one before it has worked. While time is left, jobs wait only for the one at work.
      if (atWork !== NOBODY || !mayGoOn(signal)) {
        await wait();
      } else {
        atWork = number;
        turnBegan = now();
      }
      try {
        const answer = job({ now, yieldIfDue: pause, note: signal?.note });
        // Awaiting a value that is there already would cost a turn of the microtask queue.
        return answer instanceof Promise ? await answer : answer;
      } finally {
        endTurn();
        passOn();
      }
    },
  };
}

/** The waits of owners for their next turns. */
interface Waits {
  /** Records that a job of an owner waits. */
  begin(owner: string): void;
  /** Records that a job has had its turn, or has stopped waiting. */
  end(owner: string): void;
  longestMs(): number;
}

function createWaits(now: () => number): Waits {
  const waiting = new Map<string, { jobs: number; sinceMs: number }>();
  let last = { ms: 0, endedAt: -Infinity };
  return {
    begin(owner) {
      const wait = waiting.get(owner);
      if (wait === undefined) waiting.set(owner, { jobs: 1, sinceMs: now() });
      else wait.jobs += 1;
    },
    end(owner) {
      const wait = waiting.get(owner)!;
      const endedAt = now();
      const ms = endedAt - wait.sinceMs;
      if (ms >= last.ms || endedAt - last.endedAt > LATELY_MS) last = { ms, endedAt };
      wait.sinceMs = endedAt;
      wait.jobs -= 1;
      if (wait.jobs === 0) waiting.delete(owner);
    },
    longestMs() {
      const at = now();
      let longest = at - last.endedAt > LATELY_MS ? 0 : last.ms;
      for (const { sinceMs } of waiting.values()) longest = Math.max(longest, at - sinceMs);
      return longest;
    },
  };
}

/** The charge for `ms` milliseconds of a job that has worked `workedMs` before. */
function costOf(ms: number, workedMs: number): number {
  const brief = Math.min(ms, Math.max(0, BRIEF_MS - workedMs));
  return brief + LATER_TIMES * (ms - brief);
}
