import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { AskedStreams } from '../../query/streams.ts';
import { eachSelected } from '../groups/blocks.ts';
import type { Coded } from '../groups/reading.ts';
import { BLOCK_ROWS, SEGMENT_ROWS } from '../log/sizes.ts';
import { select } from '../selection/select.ts';
import type { SegmentSpan, SelectorAt } from '../selection/selector.ts';
import type { PlaceSpan } from '../selection/spans.ts';
import { weighScalars } from '../groups/distinct.ts';
import { choosePart, NO_SCALAR, OF_PART, type StreamsPart } from './in-parts.ts';
import { createStreamBlocks, type StreamBlocks } from './stream-list.ts';

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
  readonly found: StreamBlocks;
  readonly missing: number;
}

/** What rows are gathered with. */
export interface GatherTools {
  /** The streams to gather. */
  readonly part: StreamsPart;
  readonly hash: KeyedHash;
  readonly room: Reservation;
  readonly pacer: Pacer;
}

/** Gathers the rows of the streams of a part: segment by segment, and in each in order of time. */
export async function gather(
  rows: StreamRows,
  { isWhole, missing: counted }: AskedStreams,
  { part, hash, room, pacer }: GatherTools,
): Promise<Gathered> {
  const { distinct, same, by } = rows;
  const found = createStreamBlocks({ same: same.length > 0, group: by !== undefined }, room);
  const chosen = await choosePart(distinct, part, { hash, pacer });
  const end = part.rows?.size ?? Infinity;
  const areSame: Uint8Array[] = [];
  for (const { values, count } of same) areSame.push(await weighScalars(values, count, pacer));
  const bits = new Uint32Array(BLOCK_ROWS);
  const own = new Uint8Array(BLOCK_ROWS);
  let missing = 0;

  /** A number for the values of a row that are held constant; -1 where one is no scalar. */
  function sameOf(segment: number, local: number): number {
    let number = 0;
    for (const [i, { codes, count }] of same.entries()) {
      const code = codes[segment]![local]!;
      if (areSame[i]![code] === 0) return -1;
      number = number * count + code;
    }
    return number;
  }

  function addRow(segment: number, local: number, instant: number, met: number): void {
    const row = segment * SEGMENT_ROWS + local;
    const key = distinct.codes[segment]![local]!;
    if (row >= end) return;
    if (chosen[key] === OF_PART) {
      const group = by === undefined || (met & 1) === 0 ? 0 : by.codes[segment]![local]!;
      found.add(row, instant, met, key, sameOf(segment, local), group);
    } else if (chosen[key] === NO_SCALAR && part.number === 0) {
      const { range, first } = counted;
      if (met % 2 ** first !== 0 && instant >= range.from && instant < range.until) missing += 1;
    }
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
  return { found, missing };
}
