import type { Stream } from '../query/streams.ts';

/** Events of a stream that have the same values at the paths that are held constant. */
export interface SameEvents {
  readonly instants: readonly number[];
  readonly bits: readonly number[];
  /** The place of each in the stream. */
  readonly places: readonly number[];
}

/** Divides a stream into those whose values are held constant, in any order. */
export function divideBySame({ instants, bits, same }: Stream): Iterable<SameEvents> {
  const divided = new Map<number, { instants: number[]; bits: number[]; places: number[] }>();
  for (let i = 0; i < bits.length; i++) {
    let own = divided.get(same![i]!);
    if (own === undefined) divided.set(same![i]!, (own = { instants: [], bits: [], places: [] }));
    own.instants.push(instants[i]!);
    own.bits.push(bits[i]!);
    own.places.push(i);
  }
  return divided.values();
}
