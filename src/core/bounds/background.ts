import type { Signal } from '../base/signal.ts';
import { createFairQueue } from './fair-queue.ts';

/** Lets background jobs step aside for requests. Jobs of one signal are one stream, or one request. */
export interface Background {
  /** Notes an interactive job; a request counts once, when its first job comes. */
  note(signal: Signal | undefined): void;
  /**
   * A rest before the next job of a stream, if a request has come since its last job; otherwise undefined,
   * also for the first job of a stream, and for one without a signal.
   */
  rest(owner: string, signal: Signal | undefined): Promise<void> | undefined;
}

/** A stream that rests. */
interface Rest {
  readonly owner: string;
  readonly signal: Signal;
  readonly end: () => void;
}

/**
 * How long all streams together rest after a job, which takes some milliseconds: so one has about a sixth of
 * a process that answers requests, many have a fifth together, and all of an idle process is theirs. Turns
 * alone would not do: a client that sends one batch after the other does not wait for a turn in between, yet
 * finds a job under way at each hand that the batch goes through.
 */
const REST_MS = 40;

/**
 * Creates it with a timer; without one, nobody rests. The rests follow each other, of one owner after the
 * other: a thousand streams of a tenant rest longer each, and those of another tenant do not.
 */
export function createBackground(sleep: ((ms: number) => Promise<void>) | undefined): Background {
  const resting = createFairQueue<Rest>();
  const requests = new WeakSet<Signal>();
  /** By stream, how many requests had come when its last job did. */
  const streams = new WeakMap<Signal, number>();
  let came = 0;
  let isResting = false;

  /** Ends the next rest; whether there was one. Nobody waits for those whose client has left. */
  function endNext(): boolean {
    for (let rest = resting.next(); rest !== undefined; rest = resting.next()) {
      rest.end();
      if (rest.signal.aborted) continue;
      resting.charge(rest.owner, REST_MS);
      return true;
    }
    return false;
  }

  async function goRound(sleep: (ms: number) => Promise<void>): Promise<void> {
    isResting = true;
    do await sleep(REST_MS);
    while (endNext() && resting.length > 0);
    isResting = false;
  }

  return {
    note(signal) {
      if (signal !== undefined) {
        if (requests.has(signal)) return;
        requests.add(signal);
      }
      came += 1;
    },
    rest(owner, signal) {
      if (sleep === undefined || signal === undefined) return undefined;
      const before = streams.get(signal);
      streams.set(signal, came);
      if (before === undefined || before === came) return undefined;
      return new Promise((end) => {
        resting.add(owner, { owner, signal, end });
        if (!isResting) void goRound(sleep);
      });
    },
  };
}
