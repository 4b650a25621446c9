import type { Reservation } from '../../bounds/memory-budget.ts';
import type { AskedMeasure } from '../../query/measures.ts';
import type { CountTools } from '../selection/count.ts';
import type { SegmentSpan, SelectorAt } from '../selection/selector.ts';
import type { PlaceSpan } from '../selection/spans.ts';
import type { Coded } from './reading.ts';

/** Rows of a log, of which a breakdown groups those that are selected. */
export interface ChosenSpans {
  readonly selectorAt: SelectorAt;
  readonly spans: readonly SegmentSpan[];
}

/** The rows of a question's snapshot, and what its paths find in them. */
export interface OpenedRows extends ChosenSpans {
  /** Whether these are all rows of the log, each of them selected. */
  readonly isEveryRow: boolean;
  /** How many rows the snapshot has. */
  readonly size: number;
  /** By path, in the order of the request. */
  readonly coded: readonly Coded[];
}

/** The same in order of time, segment by segment. */
export interface OrderedRows extends Pick<OpenedRows, 'selectorAt' | 'coded'> {
  readonly places: readonly PlaceSpan[];
}

/** A path that is measured, and what a question finds there. */
export interface MeasuredCodes {
  readonly measure: AskedMeasure;
  readonly coded: Coded;
}

/** The rows that a breakdown is about. */
export interface Grouped extends ChosenSpans {
  /** The values whose distinct ones are counted in each group; undefined if they are not counted. */
  readonly distinct: Coded | undefined;
  /** The values that are measured in each group, with what is taken of them. */
  readonly measured: readonly MeasuredCodes[];
}

/** What a breakdown works with. */
export interface GroupTools extends CountTools {
  /** Books what the breakdown needs for itself. */
  readonly reservation: Reservation;
}
