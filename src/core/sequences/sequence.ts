import type { KeyedHash } from '../base/keyed-hash.ts';
import type { Reservation } from '../bounds/memory-budget.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { AskedSequence, Sequence, SequenceStep } from '../query/sequence.ts';
import type { Stream } from '../query/streams.ts';
import { divideBySame } from './by-same.ts';
import { createFold, type StreamsFold } from './fold.ts';
import { createGroupCounts } from './group-counts.ts';
import { createTimesList } from './step-times.ts';
import { createWalk } from './walk.ts';

/** The attempt of a value that counts: the places of the events that its steps took. */
interface Attempt {
  readonly stream: Stream;
  readonly places: ArrayLike<number>;
  readonly reached: number;
}

/** Begins a sequence; `room` books what the answer needs while it is put together. */
export function createSequenceFold(
  asked: AskedSequence,
  { hash, room }: { readonly hash: KeyedHash; readonly room: Reservation },
): StreamsFold<Sequence> {
  const { steps, percentiles } = asked;
  const walk = createWalk(asked, room);
  const counts = new Array<number>(steps).fill(0);
  const groups = createGroupCounts(asked, { hash, room });
  const newTimes = () => Array.from({ length: steps - 1 }, () => createTimesList(room));
  const [sinceStart, sincePrevious] = [newTimes(), newTimes()];

  /** Of all attempts the one that comes furthest, and of those the one that begins first. */
  async function findBest(stream: Stream, pacer: Pacer): Promise<Attempt> {
    if (stream.same === undefined) {
      const found = walk.run(stream, pacer);
      return { stream, places: walk.places, reached: typeof found === 'number' ? found : await found };
    }
    let best: Attempt = { stream, places: [0], reached: 0 };
    for (const { places, ...events } of divideBySame(stream)) {
      const reached = await walk.run(events, pacer);
      const isFirst = () => places[walk.places[0]!]! < best.places[0]!;
      if (reached > best.reached || (reached === best.reached && reached > 0 && isFirst()))
        best = { stream, places: Array.from(walk.places, (place) => places[place]!), reached };
    }
    return best;
  }

  function count({ stream: { instants, groups: keys }, places, reached }: Attempt): void {
    if (reached === 0) return;
    groups.add(keys?.[places[0]!], instants[places[0]!]!, reached);
    for (let k = 0; k < reached; k++) {
      counts[k]! += 1;
      if (k === 0 || percentiles.length === 0) continue;
      const instant = instants[places[k]!]!;
      sinceStart[k - 1]!.add(instant - instants[places[0]!]!);
      sincePrevious[k - 1]!.add(instant - instants[places[k - 1]!]!);
    }
  }

  async function tellStep(reached: number, k: number, pacer: Pacer): Promise<SequenceStep> {
    if (k === 0 || percentiles.length === 0) return { count: reached };
    return {
      count: reached,
      sinceStart: await sinceStart[k - 1]!.percentiles(percentiles, pacer),
      sincePrevious: await sincePrevious[k - 1]!.percentiles(percentiles, pacer),
    };
  }

  return createFold({
    count: async (stream, pacer) => count(await findBest(stream, pacer)),
    async finish(missing, pacer) {
      const told: SequenceStep[] = [];
      for (const [k, reached] of counts.entries()) told.push(await tellStep(reached, k, pacer));
      return { steps: told, missing, ...(await groups.told(counts, pacer)) };
    },
  });
}
