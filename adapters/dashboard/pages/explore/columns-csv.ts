import type { Event, JsonValue } from '../../../../src/index.ts';
import { toCsvLine, toSheetTime, BOM, type Separator } from '../../../../src/transport-kit.ts';
import type { Chunk } from './chunk.ts';
import { valueReader } from './value-at.ts';

/**
 * Turns events, one in each line of JSON, into CSV with a column for each path. A cell holds the value that
 * the table shows, whole; that of null is empty, as in every CSV of events. `sheet` makes a file for Excel.
 */
export function toColumns(paths: readonly string[], sheet?: Separator): TransformStream<Chunk, Chunk> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const readers = paths.map(valueReader);
  const isProperty = (i: number) => paths[i]!.startsWith('properties.');
  const lineOf = (json: string) => {
    const event = JSON.parse(json) as Event;
    const cells = readers.map((read) => (read(event) ?? undefined) as JsonValue | undefined);
    const shown =
      sheet === undefined ? cells : cells.map((cell, i) => (isProperty(i) ? cell : toSheetTime(cell)));
    return toCsvLine(shown, isProperty, sheet);
  };
  const head = (sheet === undefined ? '' : BOM) + toCsvLine(paths, undefined, sheet);
  /** The beginning of a line whose end has not arrived. */
  let begun = '';
  const write = (controller: TransformStreamDefaultController<Chunk>, lines: readonly string[]) => {
    if (lines.length > 0) controller.enqueue(encoder.encode(lines.map(lineOf).join('')));
  };
  return new TransformStream({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    transform: (chunk, controller) => {
      const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
      begun = lines.pop()!;
      write(controller, lines);
    },
    // An answer that ends within a line is broken: the line cannot be read, and the export fails.
    flush: (controller) => write(controller, begun === '' ? [] : [begun]),
  });
}
