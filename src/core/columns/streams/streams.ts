import { reserveOrThrow, type Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Scalar } from '../../filter/operands.ts';
import type { AskedStreams, Stream, StreamsPiece } from '../../query/streams.ts';
import { scalarOf } from '../groups/distinct.ts';
import type { EventLog } from '../log/log.ts';
import type { StreamList } from './stream-list.ts';
import { putInOrder } from './in-order.ts';
import { gather, type StreamRows } from './gather.ts';

/** About what a stream takes besides its rows. */
const STREAM_BYTES = 256;

/** What a row takes in a stream: its instant and bits; its group, and its number of constant values. */
const ROW_BYTES = 12;
const MORE_BYTES = 8;

interface StreamsTools {
  readonly log: EventLog;
  /** Books the streams; the caller releases it when they are not needed any more. */
  readonly room: Reservation;
  readonly pacer: Pacer;
}

/**
 * The streams of some rows. Rows come in order of time from each segment, so those of one value are in order
 * but for what came late, and for events of one instant: those streams are sorted.
 */
export async function streamsOf(
  rows: StreamRows,
  asked: AskedStreams,
  tools: StreamsTools,
): Promise<StreamsPiece> {
  const { room, pacer } = tools;
  const { found, missing } = await gather(rows, asked, tools);
  const { distinct, by } = rows;
  const more = [by, rows.same[0]].filter((each) => each !== undefined).length * MORE_BYTES;
  reserveOrThrow(room, distinct.count * 8 + found.length * (ROW_BYTES + more));
  const ends = await findEnds(found, distinct.count, pacer);
  const places = arrange(found, ends);
  const streams: Stream[] = [];
  for (let code = 0, from = 0; code < distinct.count; code++) {
    const to = ends[code]!;
    if (to === from) continue;
    reserveOrThrow(room, STREAM_BYTES);
    const own = places.subarray(from, to);
    const sorting = putInOrder(own, found, tools);
    if (sorting !== undefined) await sorting;
    streams.push(toStream(own, { found, rows, asked }, distinct.values[code] as Scalar));
    from = to;
    const pause = pacer.yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return { streams, missing };
}

/** Where the rows of each code end, if those of one code stand behind those of the one before. */
async function findEnds({ key, length }: StreamList, codes: number, pacer: Pacer): Promise<Uint32Array> {
  const ends = new Uint32Array(codes);
  for (let i = 0; i < length; i++) ends[key[i]!]! += 1;
  await pacer.yieldIfDue();
  for (let code = 1; code < codes; code++) ends[code]! += ends[code - 1]!;
  await pacer.yieldIfDue();
  return ends;
}

/** The places of all rows, by their codes, and as they were found where these are equal. */
function arrange({ key, length }: StreamList, ends: Uint32Array): Uint32Array {
  const next = ends.slice();
  const places = new Uint32Array(length);
  for (let i = length - 1; i >= 0; i--) places[--next[key[i]!]!] = i;
  return places;
}

function toStream(
  places: Uint32Array,
  {
    found,
    rows: { by },
    asked,
  }: { readonly found: StreamList; readonly rows: StreamRows; readonly asked: AskedStreams },
  key: Scalar,
): Stream {
  const { length } = places;
  const instants = new Float64Array(length);
  const bits = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    instants[i] = found.instant[places[i]!]!;
    bits[i] = found.bits[places[i]!]!;
  }
  return {
    ...{ key, instants, bits },
    ...(asked.same.length === 0 ? {} : { same: Float64Array.from(places, (place) => found.same[place]!) }),
    ...(by === undefined
      ? {}
      : { groups: Array.from(places, (place) => scalarOf(by.values[found.group[place]!])) }),
  };
}
