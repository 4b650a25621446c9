import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { AskedStreams } from '../../query/streams.ts';
import { eachSelected } from '../groups/blocks.ts';
import { weighScalars } from '../groups/distinct.ts';
import type { Coded } from '../groups/reading.ts';
import { BLOCK_ROWS, SEGMENT_ROWS } from '../log/sizes.ts';
import { select } from '../selection/select.ts';
import type { SegmentSpan, SelectorAt } from '../selection/selector.ts';
import type { PlaceSpan } from '../selection/spans.ts';
import { createStreamList, type StreamList } from './stream-list.ts';

/** Rows that streams are made of, and what the paths of the question find in them. */
export interface StreamRows {
  /** Selects the rows of all streams. */
  readonly selectorAt: SelectorAt;
  /** Select the rows of each bit. */
  readonly bitsAt: readonly SelectorAt[];
  /** In order of time, segment by segment. */
  readonly places: readonly PlaceSpan[];
  readonly distinct: Coded;
  readonly same: readonly Coded[];
  /** What the groups are made of; undefined if none are asked for. */
  readonly by: Coded | undefined;
}

interface Gathered {
  readonly found: StreamList;
  readonly missing: number;
}

/** Gathers the rows of all streams: segment by segment, and in each in order of time. */
export async function gather(
  rows: StreamRows,
  { isWhole, missing: counted }: AskedStreams,
  { room, pacer }: { readonly room: Reservation; readonly pacer: Pacer },
): Promise<Gathered> {
  const { distinct, same, by } = rows;
  const list = createStreamList(room);
  const isKey = await weighScalars(distinct.values, distinct.count, pacer);
  const areSame: Uint8Array[] = [];
  for (const { values, count } of same) areSame.push(await weighScalars(values, count, pacer));
  const bits = new Uint32Array(BLOCK_ROWS);
  const own = new Uint8Array(BLOCK_ROWS);
  let missing = 0;

  /** A number for the values of a row that are held constant; undefined where one is no scalar. */
  function sameOf(segment: number, local: number): number | undefined {
    let number = 0;
    for (const [i, { codes, count }] of same.entries()) {
      const code = codes[segment]![local]!;
      if (areSame[i]![code] === 0) return undefined;
      number = number * count + code;
    }
    return number;
  }

  function addRow(segment: number, local: number, instant: number, met: number): void {
    const key = distinct.codes[segment]![local]!;
    if (isKey[key] === 0) {
      const { range, first } = counted;
      if (met % 2 ** first !== 0 && instant >= range.from && instant < range.until) missing += 1;
      return;
    }
    const constant = sameOf(segment, local);
    if (constant === undefined) return;
    const group = by === undefined || (met & 1) === 0 ? 0 : by.codes[segment]![local]!;
    list.add(segment * SEGMENT_ROWS + local, instant, met, key, constant, group);
  }

  for (const { sorted, from, to } of rows.places) {
    const { segment, local, instants } = sorted;
    const span: SegmentSpan = { segment, rows: local, from, to };
    await eachSelected(rows.selectorAt, [span], pacer, (selection, block) => {
      bits.fill(0);
      for (const [i, selectorAt] of rows.bitsAt.entries()) {
        select(selectorAt(segment), own, block);
        for (let k = 0; k < block.to - block.from; k++) bits[k]! |= own[k]! << i;
      }
      for (let k = 0; k < block.to - block.from; k++) {
        if (selection[k] === 0 || (bits[k] === 0 && !isWhole)) continue;
        const row = local[block.from + k]!;
        addRow(segment, row, instants[row]!, bits[k]!);
      }
    });
  }
  return { found: list.found, missing };
}
