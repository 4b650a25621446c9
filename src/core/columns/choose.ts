import { reserveOrThrow } from '../bounds/memory-budget.ts';
import { eachSelected } from './groups/blocks.ts';
import { tallyCodes } from './groups/group-loops.ts';
import type { GroupTools, OpenedRows } from './groups/grouped.ts';
import { createBitmap, setBit } from './log/erased-rows.ts';
import type { EventLog } from './log/log.ts';
import { SEGMENT_ROWS } from './log/sizes.ts';
import type { SegmentSpan, SelectorAt } from './selection/selector.ts';

/** Rows of a log that are to be erased. None of them is erased already. */
export interface ChosenRows {
  /** The log that they belong to. */
  readonly log: EventLog;
  /** How many they are. */
  readonly count: number;
  /** By segment, as in `ErasedRows`. */
  readonly bitmaps: readonly (Uint8Array | undefined)[];
  /** The row after all rows that there were to choose from. */
  readonly end: number;
  /** The event names that no other row has. */
  readonly names: ReadonlySet<string>;
  /** The event names of rows that stay. */
  readonly kept: ReadonlySet<string>;
}

/** The rows that there are, and how to choose all of them. */
interface AllRows {
  readonly allSpans: readonly SegmentSpan[];
  readonly liveAt: SelectorAt;
}

/** Chooses all selected rows. */
export async function chooseRows(
  log: EventLog,
  { selectorAt, spans, size, coded: [named], allSpans, liveAt }: OpenedRows & AllRows,
  { reservation, pacer }: GroupTools,
): Promise<ChosenRows> {
  const { codes, values, count: valuesCount } = named!;
  reserveOrThrow(reservation, valuesCount * 8 + Math.ceil(size / SEGMENT_ROWS) * (SEGMENT_ROWS / 8));
  const ofAll = new Uint32Array(valuesCount);
  const ofChosen = new Uint32Array(valuesCount);
  const bitmaps: (Uint8Array | undefined)[] = [];
  let count = 0;
  await eachSelected(liveAt, allSpans, pacer, (selection, block) =>
    tallyCodes(ofAll, codes[block.segment]!, selection, block),
  );
  await eachSelected(selectorAt, spans, pacer, (selection, block) => {
    const { segment, rows, from, to } = block;
    tallyCodes(ofChosen, codes[segment]!, selection, block);
    for (let place = from; place < to; place++) {
      if (selection[place - from] === 0) continue;
      setBit((bitmaps[segment] ??= createBitmap()), rows?.[place] ?? place);
      count += 1;
    }
  });
  const names = new Set<string>();
  const kept = new Set<string>();
  for (let code = 0; code < valuesCount; code++) {
    if (ofAll[code]! > ofChosen[code]!) kept.add(values[code] as string);
    else if (ofChosen[code]! > 0) names.add(values[code] as string);
  }
  return { log, count, bitmaps, end: size, names, kept };
}
