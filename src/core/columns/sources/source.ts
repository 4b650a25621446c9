import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { ConditionLeaf } from '../analysis/path-test.ts';
import type { Leaf } from '../selection/selector.ts';

/** The source of a selector's leaves for one path, or for time, in one question. */
export interface LeafSource {
  /** Brings the source to know the first `size` rows. */
  cover(size: number): Promise<void>;
  /** Whether it knows them, or does at once: then there is nothing to cover. */
  isReady(size: number): boolean;
  /** The selector's leaf for one of the condition's leaves, over the rows that the source covers. */
  leaf(leaf: ConditionLeaf): Leaf;
  /** Gives back what others can use. */
  release?(): void;
}

/** What a question works with. */
export interface SourceTools {
  /** Books what the question needs for itself. */
  readonly reservation: Reservation;
  readonly pacer: Pacer;
}
