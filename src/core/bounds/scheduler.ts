import { aborted } from '../base/errors.ts';
import type { Signal } from '../base/signal.ts';
import { createBackground } from './background.ts';
import { createFairQueue } from './fair-queue.ts';
import { createLine, type Waiter } from './line.ts';

/** Lets a long job step aside for others. */
export interface Pacer {
  /** A clock for durations, in milliseconds. */
  now(): number;
  /**
   * Returns undefined while this slice has time left, so that a job may ask often; otherwise a promise of
   * the owner's next slice. Throws `aborted()` when nobody waits for the job any more.
   */
  yieldIfDue(): Promise<void> | undefined;
}

/**
 * Who waits for a job. `interactive`: a client does. `batch`: it begins after whoever is answered in this
 * turn of the event loop, and a long one comes after the later ones of its owner. `background`: the jobs of
 * one signal are a stream; if a request has come since its last job, the next one begins after a rest of
 * 40 ms, or longer if other streams rest too. So one stream has about a sixth of a busy process, many have a
 * fifth together, and all of an idle process is theirs. Without a signal a background job does not rest.
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
   * How long an owner has waited for its next turn, in milliseconds: of those who wait and of the last few
   * seconds, the one that waits or has waited for longest; 0 where none has. What an owner asks beyond what
   * it gets keeps nobody else waiting, and counts for nothing here. Absent: nobody knows.
   */
  longestWaitMs?(): number;
}

/** What a scheduler works with. */
export interface SchedulerOptions {
  /** A clock for durations, in milliseconds. */
  readonly now: () => number;
  /** Resolves in the next turn of the event loop, when what came in meanwhile was taken in. */
  readonly nextTurn: () => Promise<void>;
  /** Resolves after as many milliseconds; without it, background jobs do not rest. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
}

/** How long jobs work in one turn of the event loop. */
const SLICE_MS = 4;
/**
 * What an owner of short turns owes at most, so that what it asks next waits for a slice or two of each other
 * owner: its last turn may have been long because it waited for a disk, or because the collector ran in it.
 */
const DEBT_MS_MAX = 2 * SLICE_MS;

/**
 * How long a job works before what it works counts more. Most questions about columns are answered by then.
 * With a whole millisecond, a tenant's pages of a thousand events counted as brief: beside them requests of
 * a tenant that needed a little more than half of the turns waited for seconds, and were refused.
 */
const BRIEF_MS = 0.25;
/** How often each millisecond counts that a job works beyond that. */
const LATER_TIMES = 4;

/** How long a wait that is over is told of. */
const LATELY_MS = 5_000;

/** More jobs than any process ever has: the numbers of batch jobs begin here. */
const BATCH = 2 ** 50;
/** No job's number. */
const NOBODY = -1;

/**
 * Makes a scheduler. In each turn of the event loop jobs work for one slice. Where several wait, the next is
 * of the owner whose jobs have worked least, and what a job works beyond its first quarter of a millisecond
 * counts fourfold: so who asks briefly waits for little more than the slice that is open, short jobs have
 * four fifths of the time beside another owner's long one, and who waits has at least a quarter of an equal
 * share, however many jobs the others have. With equal shares one dear question after the other took
 * the half that was missing to who needed a little more than half, whose queue grew without end. Among the
 * jobs of one owner, its line says who is next.
 *
 * @see Goyal, Vin and Cheng, "Start-time fair queuing", SIGCOMM 1996, for the turns of owners; Corbató,
 * Merwin-Daggett and Daley, "An experimental time-sharing system", 1962, for what a job has had so far.
 */
export function createScheduler({ now, nextTurn, sleep }: SchedulerOptions): Scheduler {
  const queue = createFairQueue<Waiter>({ createLine, debtMax: DEBT_MS_MAX });
  const background = createBackground(sleep);
  let jobs = 0;
  let sliceOpen = false;
  let sliceEnd = 0;
  // One works at a time, so that what passes is the work of somebody who is known: between two steps of a job
  // that awaits what is there already, another's whole job would count as its own. Only who comes back from a
  // disk in a later slice goes on beside whoever is at work.
  let atWork = NOBODY;
  const waits = createWaits(now);

  function openSlice(): void {
    sliceOpen = true;
    sliceEnd = now() + SLICE_MS;
    void nextTurn().then(endSlice);
  }

  function endSlice(): void {
    sliceOpen = false;
    // Whoever is still at work waits for a disk or another process, and keeps nobody waiting.
    atWork = NOBODY;
    const next = takeNext();
    if (next === undefined) return;
    openSlice();
    giveTurn(next);
  }

  /**
   * A job that ends early leaves the rest of the slice to those who wait. Where nobody does, nobody is asked
   * for: that would end an era of the queue, which forgets what was worked.
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

  /** The next job that somebody still waits for; the others end here. */
  function takeNext(): Waiter | undefined {
    for (let job = queue.next(); job !== undefined; job = queue.next()) {
      if (job.signal?.aborted !== true) return job;
      job.fail(aborted());
    }
    return undefined;
  }

  /** Whether there is time left in this turn; opens one where there is none. Throws where nobody waits. */
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
      // V8 gives an object that is spread and added to a shape of its own each time, which costs more than
      // all the rest of the waiting.
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
        try {
          await waitForTurn(owner, { signal, number, workedMs });
        } finally {
          // Who ends while it waits has not worked meanwhile.
          turnBegan = now();
          waits.end(owner);
        }
      };
      const endTurn = () => {
        const ms = now() - turnBegan;
        // Whoever is met again when its slice has ended has waited, and nobody knows how long it worked.
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
      // A job begins in the very step that looked at the time: of many that come at once, each looks when the
      // one before it has worked. While there is time left nobody waits but behind who is at work.
      if (atWork !== NOBODY || !mayGoOn(signal)) {
        await wait();
      } else {
        atWork = number;
        turnBegan = now();
      }
      try {
        const answer = job({ now, yieldIfDue: pause });
        // To wait for what is there already would cost a turn of the microtasks.
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
  /** Notes that a job of an owner waits. */
  begin(owner: string): void;
  /** Notes that one has had its turn, or waits no more. */
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

/** What so many milliseconds count of a job that has worked so long before. */
function costOf(ms: number, workedMs: number): number {
  const brief = Math.min(ms, Math.max(0, BRIEF_MS - workedMs));
  return brief + LATER_TIMES * (ms - brief);
}
