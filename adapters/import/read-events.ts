import type { ApiError, EventInput } from '../../src/index.ts';
import { isJsonObject } from '../../src/internal.ts';
import { inMember } from './base/errors.ts';
import { createInsertIds } from './insert-ids.ts';
import { toSourceOptions, type ImportOptions } from './options.ts';
import { readSource, type ImportSource, type SourceOptions } from './read-source.ts';
import { createLeftOut, type LeftOutKind } from './readers/left-out.ts';
import type { RecordUnit } from './readers/records.ts';

/** An event of a file, and where it stands there. */
export interface ImportedEvent {
  /**
   * The event, which `append` has yet to check; for a record that is none, an ApiError that says why.
   * `append` takes both, and reports on both.
   */
  readonly event: EventInput | ApiError;
  /** What the records of the file are called. */
  readonly unit: RecordUnit;
  /** Which record it is, from 1. */
  readonly number: number;
  /** Of a zip, the name of its file. */
  readonly member?: string;
  /** Whether all records before it came before it. */
  readonly isInOrder: boolean;
  /** About how many bytes its record takes. */
  readonly bytes: number;
}

/** The events of a file, in turn. */
export interface EventReading extends AsyncIterable<ImportedEvent> {
  /** What is in none of the events so far, by kind: a column that nothing reads, a file of a zip. */
  leftOut(): readonly LeftOutKind[];
}

/**
 * Reads the events of a file: in our own format, in that of another tool, of a table, or of a log of web
 * servers. What the file is, its content says. Each event gets an `insertId` that is derived from its content
 * if its record has none, so a second import of the file stores nothing twice.
 *
 * Throws an ImportError for options that are none. Iterating throws one for a file that cannot be read; its
 * `proposal` says which options would read it. Nothing is opened before the iteration begins, and all is
 * closed when it ends.
 *
 * @example
 * ```ts
 * import { readEvents } from 'event-query/import';
 *
 * const line = Buffer.from('{"event":"opened","properties":{"time":1714730400,"distinct_id":"ada"}}');
 * for await (const { event, unit, number } of readEvents(line))
 *   console.log(unit, number, 'eventName' in event ? event.eventName : event.message);
 * // prints: line 1 opened
 * ```
 */
export function readEvents(source: ImportSource, options: ImportOptions = {}): EventReading {
  const leftOut = createLeftOut();
  const own = toSourceOptions(options, leftOut);
  return { leftOut: () => leftOut.kinds(), [Symbol.asyncIterator]: () => eventsOf(source, own) };
}

async function* eventsOf(source: ImportSource, options: SourceOptions): AsyncGenerator<ImportedEvent> {
  for await (const { unit, records, member, isInOrder = true } of readSource(source, options)) {
    const withInsertId = createInsertIds();
    const place = { unit, isInOrder, ...(member !== undefined && { member }) };
    try {
      for await (const { number, bytes, value, identity } of records) {
        // A Parquet file has no stream that the signal could end.
        options.aborted.throwIfAborted();
        if (value === undefined) continue;
        dropArrival(value, options);
        yield { event: withInsertId(value, identity) as EventInput | ApiError, number, bytes, ...place };
      }
    } catch (error) {
      throw inMember(error, member);
    }
  }
}

/** Leaves out when an event of an export arrived at another place: it arrives here now. */
function dropArrival(value: unknown, { say }: SourceOptions): void {
  if (!isJsonObject(value) || !Object.hasOwn(value, 'receivedAt')) return;
  say('receivedAt is left out: these events arrive here now; copy keeps it');
  delete value.receivedAt;
}
