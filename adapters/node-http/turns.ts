import type { Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { NodeServerLimits } from './limits.ts';
import type { Load } from './load.ts';

/**
 * Lets the taking of connections and the work on requests take turns. Node takes one connection in each turn
 * of its event loop, so with every turn full of work a crowd of new clients would wait where the server
 * cannot see them, and nobody would be refused.
 */
export interface Turns {
  /**
   * Does the work at once, or, while connections come in, when it is the turn of work; `late` is then whether
   * it has waited for too long in a queue.
   */
  take(work: (late: boolean) => void): void;
}

/** How long connections are taken before it is the turn of work: time for some hundred of them. */
const TAKING_MS = 20;
/** How long work goes on before connections are looked for again. */
const WORK_MS = 20;

/** How many may wait without being a queue: a few behind a slow one are better served late than refused. */
const QUEUE_MIN = 8;

interface Waiting {
  readonly work: (late: boolean) => void;
  readonly sinceTick: number;
  readonly sinceMs: number;
}

/** Makes the turns of a server; what waits for its turn counts as delay. */
export function createTurns(
  server: Server,
  load: Pick<Load, 'ticks' | 'noteDone'>,
  { delayMsMax }: Pick<NodeServerLimits, 'delayMsMax'>,
): Turns {
  const waiting: Waiting[] = [];
  let connectionCame = false;
  let working = false;
  let turnEndsAtMs = 0;
  let scheduled = false;
  server.on('connection', () => {
    connectionCame = true;
  });

  /** Each call is one turn of the event loop: what a piece of work does is over when the next one begins. */
  function run(): void {
    scheduled = false;
    const now = performance.now();
    if (now >= turnEndsAtMs || (!working && !connectionCame)) {
      working = !working;
      turnEndsAtMs = now + (working ? WORK_MS : TAKING_MS);
    }
    connectionCame = false;
    if (working) {
      const { work, sinceTick, sinceMs } = waiting.shift()!;
      load.noteDone(sinceTick);
      work(waiting.length >= QUEUE_MIN && now - sinceMs > delayMsMax);
    }
    schedule();
  }

  function schedule(): void {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    setImmediate(run);
  }

  return {
    take: (work) => {
      if (waiting.length === 0) {
        if (!connectionCame) {
          work(false);
          return;
        }
        working = false;
        turnEndsAtMs = performance.now() + TAKING_MS;
      }
      waiting.push({ work, sinceTick: load.ticks, sinceMs: performance.now() });
      schedule();
    },
  };
}
