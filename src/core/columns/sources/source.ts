import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Place } from '../analysis/asked.ts';
import type { Leaf } from '../selection/selector.ts';

/** Where the leaves of what is asked of one place of an event come from, for one question. */
export interface LeafSource {
  /** Brings the source to know the first `size` rows. */
  cover(size: number): Promise<void>;
  /** Whether it knows them, or does at once: then there is nothing to cover. */
  isReady(size: number): boolean;
  /** The leaf of one of its atoms, over the rows that it knows. */
  leaf(atom: Place): Leaf;
  /** Gives back what others can use. */
  release?(): void;
}

/** What a question works with. */
export interface SourceTools {
  /** Books what the question needs for itself. */
  readonly reservation: Reservation;
  readonly pacer: Pacer;
}
