import type { Mark } from '../../../../src/index.ts';
import { rangeOfBars } from '../time/buckets.ts';
import { marksWithin } from './marked.ts';
import type { EventSeries } from './series.ts';

/** A flag over one line or a few that are near each other. */
export interface MarkFlag {
  /** Where the flag and its lines stand, in pixels from the left. */
  readonly lines: readonly [number, ...number[]];
  readonly marks: readonly [Mark, ...Mark[]];
}

/** The room that a flag takes for itself, in pixels, so that each can be hit. */
const FLAG_WIDTH = 24;

/** The flags of marks, which come by time. Those of one bar share a line, and lines that are near a flag. */
export function flagsOf(
  series: Pick<EventSeries, 'edges' | 'range'>,
  marks: readonly Mark[],
  width: number,
): readonly MarkFlag[] {
  const { edges } = series;
  const slot = width / (edges.length - 1);
  const flags: { lines: [number, ...number[]]; marks: [Mark, ...Mark[]] }[] = [];
  let [bar, at] = [-1, 0];
  for (const mark of marksWithin(marks, rangeOfBars(series, 0, edges.length - 2))) {
    const instant = Date.parse(mark.time);
    while (instant >= edges[at + 1]!) at += 1;
    const [start, end] = [edges[at]!, edges[at + 1]!];
    const x = (at + (instant - start) / (end - start)) * slot;
    const last = flags.at(-1);
    if (last !== undefined && (at === bar || x < last.lines[0] + FLAG_WIDTH)) {
      last.marks.push(mark);
      if (at !== bar) last.lines.push(x);
    } else flags.push({ lines: [x], marks: [mark] });
    bar = at;
  }
  return flags;
}
