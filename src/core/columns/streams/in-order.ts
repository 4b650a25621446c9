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

/**
 * Puts the rows of a stream in order; undefined if they are already. Rows of one segment are, so only what a
 * later segment has of the same time or an earlier one is merged. Ids are read only where instants of two
 * segments are equal.
 */
export function putInOrder(
  places: Uint32Array,
  list: StreamList,
  tools: SortTools,
): Promise<void> | undefined {
  const runs = runsOf(places, list);
  return runs.length === 1 ? undefined : mergeRuns(places, runs, list, tools);
}

/** Where the runs begin whose rows are in order. */
function runsOf(places: Uint32Array, { row, instant }: StreamList): number[] {
  const runs = [0];
  for (let i = 1; i < places.length; i++) {
    const [before, own] = [places[i - 1]!, places[i]!];
    if (instant[own]! > instant[before]! || segmentOf(row[own]!) === segmentOf(row[before]!)) continue;
    runs.push(i);
  }
  return runs;
}

/** Merges each run with the next one, until there is one. */
async function mergeRuns(
  places: Uint32Array,
  runs: readonly number[],
  { row, instant }: StreamList,
  { log, room, pacer }: SortTools,
): Promise<void> {
  const bytes = places.length * places.BYTES_PER_ELEMENT;
  reserveOrThrow(room, bytes);
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
  room.release(bytes);
}
