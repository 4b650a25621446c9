import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { SegmentSpan, SelectorAt } from '../selection/selector.ts';
import type { Coded } from './reading.ts';

/** Rows of a log, of which a breakdown groups those that are selected. */
export interface ChosenSpans {
  readonly selectorAt: SelectorAt;
  readonly spans: readonly SegmentSpan[];
}

/** The rows that a breakdown is about. */
export interface Grouped extends ChosenSpans {
  /** The values whose distinct ones are counted in each group; undefined if they are not counted. */
  readonly distinct: Coded | undefined;
}

/** What a breakdown works with. */
export interface GroupTools {
  /** Books what the breakdown needs for itself. */
  readonly reservation: Reservation;
  readonly pacer: Pacer;
}
