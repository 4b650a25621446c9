import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import { BLOCK_ROWS } from '../log/sizes.ts';
import { collectCodes } from './group-loops.ts';
import type { GroupTools } from './grouped.ts';
import type { Coded } from './reading.ts';
import type { EachPlaced } from './row-places.ts';

/** How many codes are visited between two pauses. */
const STEP_CODES = 65_536;

/** A part of a table: its places from one to before another, as often as it has such ranges. */
export type TablePart = readonly (readonly [from: number, to: number])[];

/** What looks at the codes of one part after the other. */
export interface PartVisitor {
  begin?(): void;
  add(codes: Uint32Array): void;
  end(): Promise<void> | void;
}

/** Visits what the rows of each part have at a path, part by part. */
export type VisitParts = (coded: Coded, parts: Iterable<TablePart>, visitor: PartVisitor) => Promise<void>;

/** Where the rows of each place begin if they are put next to each other, and where the last one's end. */
export async function startsOf(
  counts: Uint32Array,
  { reservation, pacer }: GroupTools,
): Promise<Uint32Array> {
  reserveOrThrow(reservation, (counts.length + 1) * 4);
  const starts = new Uint32Array(counts.length + 1);
  for (let place = 0; place < counts.length; place++) {
    starts[place + 1] = starts[place]! + counts[place]!;
    if (place % STEP_CODES === STEP_CODES - 1) await pacer.yieldIfDue();
  }
  return starts;
}

/** Makes what puts the codes of rows next to each other by their places, in room that all paths share. */
export function createPartVisits(
  eachPlaced: EachPlaced,
  starts: Uint32Array,
  { reservation, pacer }: GroupTools,
): VisitParts {
  const rows = starts.at(-1)!;
  reserveOrThrow(reservation, starts.byteLength + (rows + BLOCK_ROWS) * 4);
  const arranged = new Uint32Array(rows);
  const collected = new Uint32Array(BLOCK_ROWS);
  /** Where the next code of each place goes. */
  const cursors = new Uint32Array(starts.length);

  return async ({ codes }, parts, visitor) => {
    cursors.set(starts);
    await eachPlaced((places, selection, block) => {
      collectCodes(collected, codes[block.segment]!, selection, block);
      for (let i = 0; i < places.length; i++) arranged[cursors[places[i]!]!++] = collected[i]!;
    });
    for (const part of parts) {
      visitor.begin?.();
      await pacer.yieldIfDue();
      for (const [from, to] of part) {
        const end = starts[to]!;
        for (let at = starts[from]!; at < end; at += STEP_CODES) {
          visitor.add(arranged.subarray(at, Math.min(end, at + STEP_CODES)));
          await pacer.yieldIfDue();
        }
      }
      await visitor.end();
    }
  };
}
