import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { ConditionLeaf } from '../analysis/path-test.ts';
import type { Column } from '../column/column.ts';
import type { Leaf } from '../selection/selector.ts';

/** The selector's leaf for one of a condition's leaves. */
export type LeafOf = (leaf: ConditionLeaf) => Leaf;

/** The source of a selector's leaves for one path, or for time, in one question. */
export interface LeafSource {
  /** The column that it shares with other questions; absent if it has none. */
  readonly column?: Column;
  /**
   * Indexes what the source needs, and takes of it what the first `size` rows have.
   * What the question has taken stays as it is while others index more rows, run out of memory or erase.
   */
  open(size: number): Promise<LeafOf>;
  /** Gives back what other questions can use. */
  release?(): void;
}

/** What a question works with. */
export interface SourceTools {
  /** Books what the question needs for itself. */
  readonly reservation: Reservation;
  readonly pacer: Pacer;
}
