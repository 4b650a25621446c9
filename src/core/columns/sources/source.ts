import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { ConditionLeaf } from '../analysis/path-test.ts';
import type { Leaf } from '../selection/selector.ts';

/** The source of a selector's leaves for one path, or for time, in one question. */
export interface LeafSource {
  /** Indexes what the source needs, up to `size` rows. */
  indexUpTo(size: number): Promise<void>;
  /** Whether the source can answer for so many rows at once, so that there is nothing to index. */
  isReady(size: number): boolean;
  /** The selector's leaf for one of the condition's leaves, over the rows that are indexed. */
  leaf(leaf: ConditionLeaf): Leaf;
  /** Gives back what other questions can use. */
  release?(): void;
}

/** What a question works with. */
export interface SourceTools {
  /** Books what the question needs for itself. */
  readonly reservation: Reservation;
  readonly pacer: Pacer;
}
