import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import { BLOCK_ROWS } from '../log/sizes.ts';
import type { SegmentSpan } from '../selection/selector.ts';
import type { PlaceSpan } from '../selection/spans.ts';
import { eachSelected } from './blocks.ts';
import { createBuckets } from './buckets.ts';
import { placePairs, placeSingles } from './group-loops.ts';
import type { ChosenSpans, GroupTools } from './grouped.ts';
import type { Coded } from './reading.ts';

/** Looks at the selected rows of a block: at their places in a table, one after the other. */
export type VisitPlaced = (places: Uint32Array, selection: Uint8Array, block: SegmentSpan) => void;

/** Visits all selected rows with the place of each in a table. */
export type EachPlaced = (visit: VisitPlaced) => Promise<void>;

/** A dimension of values: what each code adds to the place of its rows. */
export interface PlacedCodes {
  readonly coded: Coded;
  readonly placeOf: Uint32Array;
}

/** A dimension of time: the starts of its buckets, each of which adds a step to the place of its rows. */
export interface PlacedBuckets {
  /** The starts of the buckets with a place of their own, that of those behind, and the end. */
  readonly starts: readonly number[];
  readonly step: number;
}

/** Visits rows by the values of a dimension, or of two. */
export function eachPlacedByValues(
  { coded, placeOf }: PlacedCodes,
  second: PlacedCodes | undefined,
  { selectorAt, spans }: ChosenSpans,
  { reservation, pacer }: GroupTools,
): EachPlaced {
  reserveOrThrow(reservation, BLOCK_ROWS * 5);
  const places = new Uint32Array(BLOCK_ROWS);
  return (visit) =>
    eachSelected(selectorAt, spans, pacer, (selection, block) => {
      const own = { codes: coded.codes[block.segment]!, placeOf };
      const other = second && { codes: second.coded.codes[block.segment]!, placeOf: second.placeOf };
      const found =
        other === undefined
          ? placeSingles(places, own, 0, selection, block)
          : placePairs(places, own, other, selection, block);
      visit(places.subarray(0, found), selection, block);
    });
}

/** Visits rows by time and by the values of a dimension, one bucket after the other. */
export function eachPlacedByTime(
  { starts, step }: PlacedBuckets,
  { coded, placeOf }: PlacedCodes,
  { selectorAt, places: spans }: Pick<ChosenSpans, 'selectorAt'> & { readonly places: readonly PlaceSpan[] },
  { reservation, pacer }: GroupTools,
): EachPlaced {
  reserveOrThrow(reservation, BLOCK_ROWS * 5);
  const places = new Uint32Array(BLOCK_ROWS);
  return async (visit) => {
    const bucketAt = createBuckets(spans);
    for (let i = 0; i + 1 < starts.length; i++) {
      await pacer.yieldIfDue();
      await eachSelected(selectorAt, bucketAt(starts[i]!, starts[i + 1]!), pacer, (selection, block) => {
        const own = { codes: coded.codes[block.segment]!, placeOf };
        const found = placeSingles(places, own, i * step, selection, block);
        visit(places.subarray(0, found), selection, block);
      });
    }
  };
}
