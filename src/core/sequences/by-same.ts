import type { Pacer } from '../bounds/scheduler.ts';
import type { Stream } from '../query/streams.ts';
import { STEP_EVENTS } from './walk.ts';

/** Events of a stream that have the same values at the paths that are held constant. */
export interface SameEvents {
  readonly instants: readonly number[];
  readonly bits: readonly number[];
  /** The place of each in the stream. */
  readonly places: readonly number[];
}

/**
 * Divides a stream into those whose values are held constant, in any order. Events without such a value exist
 * for no attempt.
 */
export async function divideBySame(
  { instants, bits, same }: Stream,
  pacer: Pacer,
): Promise<Iterable<SameEvents>> {
  const divided = new Map<number, { instants: number[]; bits: number[]; places: number[] }>();
  for (let i = 0; i < bits.length; i++) {
    if (i % STEP_EVENTS === STEP_EVENTS - 1) await pacer.yieldIfDue();
    if (same![i]! < 0) continue;
    let own = divided.get(same![i]!);
    if (own === undefined) divided.set(same![i]!, (own = { instants: [], bits: [], places: [] }));
    own.instants.push(instants[i]!);
    own.bits.push(bits[i]!);
    own.places.push(i);
  }
  return divided.values();
}
