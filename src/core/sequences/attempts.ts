import type { Reservation } from '../bounds/memory-budget.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { AskedAttempts } from '../query/sequence.ts';
import type { Stream } from '../query/streams.ts';
import { divideBySame } from './by-same.ts';
import { createWalk } from './walk.ts';

/** The attempt of a value that counts. */
export interface Attempt {
  /** The places of the events that its steps took; valid until the next is found. */
  readonly places: ArrayLike<number>;
  /** How many steps it has reached; 0 where no attempt began. */
  readonly reached: number;
}

/**
 * Makes what finds the attempt of a stream that counts: of all attempts the one that comes furthest, and of
 * those the one that begins first. `room` books what it needs.
 */
export function createAttempts(
  asked: AskedAttempts,
  room: Reservation,
): (stream: Stream, pacer: Pacer) => Promise<Attempt> {
  const walk = createWalk(asked, room);
  return async (stream, pacer) => {
    if (stream.same === undefined) {
      const found = walk.run(stream, pacer);
      return { places: walk.places, reached: typeof found === 'number' ? found : await found };
    }
    let best: Attempt = { places: [0], reached: 0 };
    for (const { places, ...events } of await divideBySame(stream, pacer)) {
      const reached = await walk.run(events, pacer);
      const isFirst = () => places[walk.places[0]!]! < best.places[0]!;
      if (reached > best.reached || (reached === best.reached && reached > 0 && isFirst()))
        best = { places: Array.from(walk.places, (place) => places[place]!), reached };
    }
    return best;
  };
}
