import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Scalar } from '../../filter/operands.ts';
import type { AskedStreams, Stream, StreamsPiece } from '../../query/streams.ts';
import { scalarOf } from '../groups/distinct.ts';
import type { EventLog } from '../log/log.ts';
import { filledStreamList, type StreamBlocks, type StreamList } from './stream-list.ts';
import { putInOrder } from './in-order.ts';
import { gather, type GatherTools, type StreamRows } from './gather.ts';

/** What a row takes in the groups of the stream that is looked at. */
const GROUP_BYTES = 8;

/** What streams are made with; the caller releases `room` when they are not needed any more. */
interface StreamsTools extends GatherTools {
  readonly log: EventLog;
}

/**
 * A part of the streams of some rows. Rows come in order of time from each segment, so those of one value are
 * in order but for what came late, and for events of one instant: those streams are sorted. Throws
 * `overloaded()` if `room` does not have it.
 */
export async function streamsOf(
  rows: StreamRows,
  asked: AskedStreams,
  tools: StreamsTools,
): Promise<StreamsPiece> {
  const { room, pacer } = tools;
  const { found, missing } = await gather(rows, asked, tools);
  const { count } = rows.distinct;
  reserveOrThrow(room, count * 8);
  const ends = await findEnds(found, count, pacer);
  const list = await arrange(found, ends, rows, tools);
  found.release();
  let longest = 0;
  for (let code = 0, from = 0; code < count; from = ends[code++]!) {
    if (ends[code] === from) continue;
    longest = Math.max(longest, ends[code]! - from);
    const sorting = putInOrder(list, [from, ends[code]!], tools);
    if (sorting !== undefined) await sorting;
    const pause = pacer.yieldIfDue();
    if (pause !== undefined) await pause;
  }
  if (rows.by !== undefined) reserveOrThrow(room, longest * GROUP_BYTES);
  return { streams: eachStream(list, ends, rows), missing };
}

/** Where the rows of each code end, if those of one code stand behind those of the one before. */
async function findEnds({ blocks, length }: StreamBlocks, codes: number, pacer: Pacer): Promise<Uint32Array> {
  const ends = new Uint32Array(codes);
  let left = length;
  for (const { key, length: size } of blocks) {
    for (let i = 0; i < size && i < left; i++) ends[key[i]!]! += 1;
    left -= size;
    await pacer.yieldIfDue();
  }
  for (let code = 1; code < codes; code++) ends[code]! += ends[code - 1]!;
  await pacer.yieldIfDue();
  return ends;
}

/** The rows by their codes, and as they were found where these are equal. */
async function arrange(
  { blocks, length }: StreamBlocks,
  ends: Uint32Array,
  { same: held, by }: StreamRows,
  { room, pacer }: StreamsTools,
): Promise<StreamList> {
  const columns = { key: false, same: held.length > 0, group: by !== undefined };
  const list = filledStreamList(length, columns, room);
  /** The place of the next row of each code. */
  const next = new Uint32Array(ends.length);
  next.set(ends.subarray(0, -1), 1);
  let left = length;
  for (const block of blocks) {
    const { row, instant, bits, key, same, group } = block;
    for (let i = 0; i < block.length && i < left; i++) {
      const place = next[key[i]!]!++;
      list.row[place] = row[i]!;
      list.instant[place] = instant[i]!;
      list.bits[place] = bits[i]!;
      if (columns.same) list.same[place] = same[i]!;
      if (columns.group) list.group[place] = group[i]!;
    }
    left -= block.length;
    await pacer.yieldIfDue();
  }
  return list;
}

/** Makes one stream after the other, when it is looked at: all of them at once would be many small arrays. */
function* eachStream(
  { instant, bits, same, group }: StreamList,
  ends: Uint32Array,
  { distinct, same: held, by }: StreamRows,
): Generator<Stream, void> {
  const groupOf = (code: number) => scalarOf(by!.values[code]);
  for (let code = 0, from = 0; code < distinct.count; from = ends[code++]!) {
    const to = ends[code]!;
    if (to === from) continue;
    yield {
      key: distinct.values[code] as Scalar,
      ...{ instants: instant.subarray(from, to), bits: bits.subarray(from, to) },
      ...(held.length === 0 ? {} : { same: same.subarray(from, to) }),
      ...(by === undefined ? {} : { groups: Array.from(group.subarray(from, to), groupOf) }),
    };
  }
}
