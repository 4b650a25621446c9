import { hash, randomBytes, randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { createScheduler, type Runtime, type Scheduler } from '../../src/index.ts';

/** The time and chance of this machine. */
export function nodeRuntime(): Runtime {
  return {
    now: () => Date.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    uuid: () => randomUUID(),
    randomBytes: (length) => randomBytes(length),
    sha256: (text) => hash('sha256', text),
  };
}

/** The scheduler of a process: the server and the stores of one process share one. */
export function nodeScheduler(): Scheduler {
  if (accepted === undefined) {
    accepted = 0;
    subscribe('net.server.socket', () => (accepted! += 1));
  }
  return createScheduler({ now: () => performance.now(), nextTurn: takeIn });
}

/** How many connections this process has accepted; undefined until somebody needs to know. */
let accepted: number | undefined;

/** How long connections are taken before it is the turn of work again, however many come. */
const TAKE_IN_MS = 8;

/**
 * Resolves in the next turn of the event loop, or when connections come no more. Node takes one in a turn, so
 * with every turn full of work a crowd of new clients would wait where the server cannot see them, and nobody
 * would be refused.
 */
function takeIn(): Promise<void> {
  return new Promise((resolve) => {
    let taken = accepted;
    let endsAt = Infinity;
    const turn = () => {
      const now = performance.now();
      if (accepted === taken || now > endsAt) {
        resolve();
        return;
      }
      // The work of who called this ends before the first turn does.
      if (endsAt === Infinity) endsAt = now + TAKE_IN_MS;
      taken = accepted;
      setImmediate(turn);
    };
    setImmediate(turn);
  });
}
