import { performance } from 'node:perf_hooks';
import type { NodeServerLimits } from './limits.ts';

/** A holder of memory: the bytes that one request has taken from the common bound. */
export interface Holder {
  heldBytes: number;
}

/** How much the server has taken on, and whether it can take more. */
export interface Load {
  /**
   * How many ticks have passed; time limits are counted in them, so that no request needs a timer of its
   * own.
   */
  ticks: number;
  /** Requests whose handler works or whose answer is on its way. */
  inFlight: number;
  /** Handlers that still run although their time is over and their request is answered. */
  abandoned: number;
  /** Whether one more request can be taken on. */
  admits(): boolean;
  /** Takes memory for a request; false, and nothing taken, when the bound is reached. */
  hold(holder: Holder, bytes: number): boolean;
  /** Takes memory that is in use already, whatever the bound; new requests wait for it. */
  note(holder: Holder, bytes: number): void;
  /** Gives back all the memory of a request. */
  release(holder: Holder): void;
  /** Notes that a handler is done that has worked since a tick. */
  noteDone(sinceTick: number): void;
  /** Notes that the timer ran. */
  tick(): void;
}

/**
 * How many requests must have begun in one turn of the event loop before its lateness counts as overload: a
 * single slow synchronous answer is no queue, and those few behind it are better served late than refused.
 */
const QUEUE_MIN = 8;

/**
 * How many requests must be in flight before their lateness counts as overload: a few slow answers are the
 * work that was asked for, and not a queue.
 */
const LATE_MIN = 64;
/** The weight of one answer in the average delay. */
const DELAY_WEIGHT = 1 / 8;

type LoadLimits = Pick<NodeServerLimits, 'inFlightMax' | 'bufferedBytesMax' | 'delayMsMax'>;

/** Makes the account of a server's load. `tickMs` is how often `tick` is called. */
export function createLoad({ inFlightMax, bufferedBytesMax, delayMsMax }: LoadLimits, tickMs: number): Load {
  const lateMs = tickMs + delayMsMax;
  const delayTicksMax = Math.ceil(delayMsMax / tickMs);
  let bufferedBytes = 0;
  let begun = 0;
  let tickedAt = performance.now();
  /** How many ticks handlers took of late, on average. */
  let delayTicks = 0;

  const load: Load = {
    ticks: 0,
    inFlight: 0,
    abandoned: 0,
    admits: () => {
      if (load.inFlight >= inFlightMax || load.abandoned >= inFlightMax) return false;
      if (bufferedBytes >= bufferedBytesMax) return false;
      if (load.inFlight >= LATE_MIN && delayTicks > delayTicksMax) return false;
      // Requests that arrived during one long turn are handled before the timer can run: so the lateness is
      // asked here.
      begun += 1;
      return begun <= QUEUE_MIN || performance.now() - tickedAt <= lateMs;
    },
    hold: (holder, bytes) => {
      if (bufferedBytes + bytes > bufferedBytesMax) return false;
      load.note(holder, bytes);
      return true;
    },
    note: (holder, bytes) => {
      bufferedBytes += bytes;
      holder.heldBytes += bytes;
    },
    release: (holder) => {
      bufferedBytes -= holder.heldBytes;
      holder.heldBytes = 0;
    },
    noteDone: (sinceTick) => {
      delayTicks += (load.ticks - sinceTick - delayTicks) * DELAY_WEIGHT;
    },
    tick: () => {
      load.ticks += 1;
      // What is late now must be seen again, so that a queue of handlers that hang is not taken for one.
      delayTicks /= 2;
      begun = 0;
      tickedAt = performance.now();
    },
  };
  return load;
}
