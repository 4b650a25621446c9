import { hash, randomBytes, randomUUID } from 'node:crypto';
import { createScheduler, type Runtime, type Scheduler } from '../../src/index.ts';

/** The time and chance of this machine. */
export function nodeRuntime(): Runtime {
  return {
    now: () => Date.now(),
    uuid: () => randomUUID(),
    randomBytes: (length) => randomBytes(length),
    sha256: (text) => hash('sha256', text),
  };
}

/** The scheduler of a process: the server and the stores of one process share one. */
export function nodeScheduler(): Scheduler {
  return createScheduler({ now: () => performance.now(), nextTurn: takeIn });
}

/** A turn of the event loop that took less than this had nothing to take in. */
const EMPTY_TURN_MS = 0.03;
/** How long is taken in before it is the turn of work again, whatever comes. */
const TAKE_IN_MS = 8;

/**
 * Resolves when the event loop has taken in what waited outside. One turn is not enough: Node accepts one
 * connection in a turn, so with every turn full of work a crowd of new clients would wait where the server
 * cannot see them, and nobody would be refused.
 */
function takeIn(): Promise<void> {
  return new Promise((resolve) => {
    let endsAt = Infinity;
    let turnBeganAt = -Infinity;
    const turn = () => {
      const now = performance.now();
      // What called this goes on working until the first turn is over, which is none of the time to take in.
      if (endsAt === Infinity) endsAt = now + TAKE_IN_MS;
      else if (now - turnBeganAt < EMPTY_TURN_MS || now > endsAt) {
        resolve();
        return;
      }
      turnBeganAt = now;
      setImmediate(turn);
    };
    setImmediate(turn);
  });
}
