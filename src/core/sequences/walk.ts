import { reserveOrThrow, type Reservation } from '../bounds/memory-budget.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { AskedAttempts } from '../query/sequence.ts';
import type { Stream } from '../query/streams.ts';

/** How many events are looked at between two pauses. */
export const STEP_EVENTS = 8192;

/** Stands for an event that is not there. */
const NONE = -1;

/** Finds the attempt of a stream that counts. */
export interface Walk {
  /** The places of the events that its steps took; valid until the next call. */
  readonly places: Int32Array;
  /** How many steps the attempt of a stream that counts has reached; 0 where none began. */
  run(stream: Pick<Stream, 'instants' | 'bits'>, pacer: Pacer): number | Promise<number>;
}

/**
 * Makes what walks streams from their ends. An event that matches step k is followed in every attempt by the
 * same event, wherever the attempt began: the next one that matches step k + 1, if nothing excluded is
 * between. So the link of each event and step is found once, and an attempt follows one link a step. What
 * would be tried for each beginning apart is quadratic in the events of a stream.
 */
export function createWalk(
  { steps, range, within, isStrict, without }: AskedAttempts,
  room: Reservation,
): Walk {
  let capacity = 0;
  /** By step, the event that follows each event, or none. */
  let links: readonly Int32Array[] = [];
  /** By step, the first event that matches it among those that were looked at. */
  const next = new Int32Array(steps);
  /** By step, the first excluded event behind it. */
  const stop = new Int32Array(steps);
  /** By step, the bits of the events that end an attempt behind it. */
  const excluded = new Int32Array(steps);
  for (const { after, bit } of without) excluded[after - 1]! |= bit;
  const tried = new Int32Array(steps);
  const places = new Int32Array(steps);
  let reached = 0;

  function makeRoom(length: number): void {
    if (length <= capacity) return;
    const wanted = Math.max(length, capacity * 2, 1024);
    reserveOrThrow(room, (wanted - capacity) * 4 * (steps - 1));
    capacity = wanted;
    links = Array.from({ length: steps - 1 }, () => new Int32Array(wanted));
  }

  /** Follows the links from a beginning; of two attempts that came as far, the earlier counts. */
  function attempt(instants: ArrayLike<number>, start: number): void {
    const last = instants[start]! + within;
    let length = 1;
    tried[0] = start;
    while (length < steps) {
      const place = links[length - 1]![tried[length - 1]!]!;
      if (place === NONE || instants[place]! > last) break;
      tried[length++] = place;
    }
    if (length < reached) return;
    reached = length;
    places.set(tried);
  }

  /** Looks at the events from `from` to before `to`, from the last one on. */
  function look({ instants, bits }: Pick<Stream, 'instants' | 'bits'>, from: number, to: number): void {
    for (let i = to - 1; i >= from; i--) {
      const own = bits[i]!;
      for (let k = 0; k < steps - 1; k++) {
        if ((own & (1 << k)) === 0) continue;
        const following = next[k + 1]!;
        const isOpen = isStrict ? following === i + 1 : following !== NONE && following <= stop[k]!;
        links[k]![i] = isOpen ? following : NONE;
      }
      if ((own & 1) !== 0 && instants[i]! >= range.from && instants[i]! < range.until) attempt(instants, i);
      for (let k = 0; k < steps; k++) {
        if ((own & (1 << k)) !== 0) next[k] = i;
        if ((own & excluded[k]!) !== 0) stop[k] = i;
      }
    }
  }

  async function lookInTurns(stream: Pick<Stream, 'instants' | 'bits'>, pacer: Pacer): Promise<number> {
    for (let to = stream.bits.length; to > 0; to -= STEP_EVENTS) {
      look(stream, Math.max(0, to - STEP_EVENTS), to);
      await pacer.yieldIfDue();
    }
    return reached;
  }

  return {
    places,
    run(stream, pacer) {
      const { length } = stream.bits;
      makeRoom(length);
      next.fill(NONE);
      stop.fill(length);
      reached = 0;
      if (length > STEP_EVENTS) return lookInTurns(stream, pacer);
      look(stream, 0, length);
      return reached;
    },
  };
}
