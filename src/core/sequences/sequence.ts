import type { KeyedHash } from '../base/keyed-hash.ts';
import type { Reservation } from '../bounds/memory-budget.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { AskedSequence, Sequence, SequenceStep } from '../query/sequence.ts';
import type { Stream } from '../query/streams.ts';
import { createAttempts, type Attempt } from './attempts.ts';
import { createFold, type StreamsFold } from './fold.ts';
import { createGroupCounts } from './group-counts.ts';
import { createTimesList } from './step-times.ts';

/** Begins a sequence; `room` books what the answer needs while it is put together. */
export function createSequenceFold(
  asked: AskedSequence,
  { hash, room }: { readonly hash: KeyedHash; readonly room: Reservation },
): StreamsFold<Sequence> {
  const { steps, percentiles } = asked;
  const findBest = createAttempts(asked, room);
  const counts = new Array<number>(steps).fill(0);
  const groups = createGroupCounts(asked, { hash, room });
  const newTimes = () => Array.from({ length: steps - 1 }, () => createTimesList(room));
  const [sinceStart, sincePrevious] = [newTimes(), newTimes()];

  function count({ instants, groups: keys }: Stream, { places, reached }: Attempt): void {
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
    count: async (stream, pacer) => count(stream, await findBest(stream, pacer)),
    async finish(missing, pacer) {
      const told: SequenceStep[] = [];
      for (const [k, reached] of counts.entries()) told.push(await tellStep(reached, k, pacer));
      return { steps: told, missing, ...(await groups.told(counts, pacer)) };
    },
  });
}
