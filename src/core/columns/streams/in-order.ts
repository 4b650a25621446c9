import { reserveOrThrow, type Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { compareIds } from '../../event/order.ts';
import { segmentOf, type EventLog } from '../log/log.ts';
import type { StreamList } from './stream-list.ts';

/** How many rows are merged between two pauses. */
const STEP_ROWS = 8192;

interface SortTools {
  readonly log: EventLog;
  /** Books the room that a merge takes, as long as it takes it. */
  readonly room: Reservation;
  readonly pacer: Pacer;
}

/** The first row of a stream in a list, and the one behind its last. */
type StreamSpan = readonly [from: number, to: number];

/**
 * Puts the rows of a stream in order; undefined if they are already. Rows of one segment are, so only what a
 * later segment has of the same time or an earlier one is merged. Ids are read only where instants of two
 * segments are equal.
 */
export function putInOrder(list: StreamList, span: StreamSpan, tools: SortTools): Promise<void> | undefined {
  const runs = runsOf(list, span);
  return runs.length === 1 ? undefined : sort(list, span, runs, tools);
}

/** Where the runs begin whose rows are in order, from the beginning of the stream on. */
function runsOf({ row, instant }: StreamList, [from, to]: StreamSpan): number[] {
  const runs = [0];
  for (let i = from + 1; i < to; i++) {
    if (instant[i]! > instant[i - 1]! || segmentOf(row[i]!) === segmentOf(row[i - 1]!)) continue;
    runs.push(i - from);
  }
  return runs;
}

async function sort(
  list: StreamList,
  [from, to]: StreamSpan,
  runs: readonly number[],
  tools: SortTools,
): Promise<void> {
  const bytes = (to - from) * (2 * Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT);
  reserveOrThrow(tools.room, bytes);
  const places = new Uint32Array(to - from);
  for (let i = 0; i < places.length; i++) places[i] = from + i;
  await mergeRuns(places, runs, list, tools);
  for (const column of [list.row, list.instant, list.bits, list.same, list.group]) {
    if (column.length === 0) continue;
    // Loops, because `from` with a function holds the thread for long where a stream has a million rows.
    const moved = column.slice(from, to);
    for (let i = 0; i < places.length; i++) moved[i] = column[places[i]!]!;
    column.set(moved, from);
    await tools.pacer.yieldIfDue();
  }
  tools.room.release(bytes);
}

/** Merges each run with the next one, until there is one. */
async function mergeRuns(
  places: Uint32Array,
  runs: readonly number[],
  { row, instant }: StreamList,
  { log, pacer }: SortTools,
): Promise<void> {
  const merged = new Uint32Array(places.length);
  const isBefore = (a: number, b: number) =>
    instant[a] === instant[b]
      ? compareIds(log.insertIdAt(row[a]!), log.insertIdAt(row[b]!)) < 0
      : instant[a]! < instant[b]!;
  for (let left = runs; left.length > 1; left = left.filter((_, i) => i % 2 === 0)) {
    for (let i = 0; i + 1 < left.length; i += 2) {
      const [from, middle, to] = [left[i]!, left[i + 1]!, left[i + 2] ?? places.length];
      let [a, b] = [from, middle];
      for (let at = from; at < to; at++) {
        const isFirst = b >= to || (a < middle && isBefore(places[a]!, places[b]!));
        merged[at] = isFirst ? places[a++]! : places[b++]!;
        if (at % STEP_ROWS === STEP_ROWS - 1) await pacer.yieldIfDue();
      }
      places.set(merged.subarray(from, to), from);
    }
  }
}
