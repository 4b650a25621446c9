import {
  compareCodePoints,
  countBits,
  countOfPiece,
  EVENT_OVERHEAD_BYTES,
  hasBit,
  isErased,
  LogGoneError,
  NO_ERASED_ROWS,
  SEGMENT_ROWS,
  toErasedRows,
  unionOf,
  withLater,
  type AppendResult,
  type ChosenRows,
  type ErasedRows,
  type EventLog,
  type EventQuery,
  type FoundValue,
  type KeyedHash,
  type Pacer,
  type Path,
  type StoredEvent,
} from '../../src/store-kit.ts';
import { createIdentities } from './identities.ts';
import { createScan } from './scan.ts';

/** A log that takes new events and loses some. */
export interface MemoryLog {
  /** The log as it is now. After the next erasure its reads throw `LogGoneError`. */
  view(): EventLog;
  /** Adds events, as `EventStore.append` says. */
  append(events: readonly StoredEvent[], namesMax?: number): AppendResult;
  /** The distinct names of events, ascending by code point. */
  names(): readonly string[];
  /**
   * Erases chosen rows and what a query matches of the rows behind them, and returns how many they are;
   * undefined if some of the log was erased since they were chosen.
   */
  erase(chosen: ChosenRows, query: EventQuery): number | undefined;
  /** Frees the memory of erased rows. */
  free(pacer: Pacer): Promise<void>;
  /** Ends the log: all of its events are erased. It returns how many they were. */
  end(): number;
}

/** The values of paths below `properties` in canonical JSON texts; one pass over each text finds them all. */
function valuesIn(texts: readonly (string | undefined)[], paths: readonly Path[]): FoundValue[][] {
  const lists = paths.map(() => new Array<FoundValue>(texts.length).fill(undefined));
  const scan = createScan(paths.map(({ segments }) => segments));
  let row = 0;
  const take = (path: number, value: FoundValue) => (lists[path]![row] = value);
  for (; row < texts.length; row++) {
    const text = texts[row];
    if (text !== undefined) scan(text, take);
  }
  return lists;
}

/** How many distinct texts are shared between events. */
const SHARED_TEXTS_MAX = 1_048_576;

/** The events of a segment, one array for each field, so that an event needs no object of its own. */
interface Segment {
  readonly eventName: (string | undefined)[];
  readonly userId: (string | undefined)[];
  readonly insertId: (string | undefined)[];
  readonly eventTs: (number | undefined)[];
  readonly receivedAt: (number | undefined)[];
  readonly properties: (string | undefined)[];
}

const createSegment = (): Segment => ({
  ...{ eventName: [], userId: [], insertId: [], eventTs: [], receivedAt: [], properties: [] },
});

/** Stands for a segment that is erased as a whole. */
const GONE = createSegment();

/** One tenant's events. An erased row keeps its number, and nothing else. */
export function createMemoryLog(id: number, hash: KeyedHash): MemoryLog {
  const segments: Segment[] = [];
  const distinctNames = new Set<string>();
  const shared = new Map<string, string>();
  let size = 0;
  let erased: ErasedRows = NO_ERASED_ROWS;
  let version = 0;
  let isEnded = false;
  /** The bitmaps whose rows have no memory any more. */
  const freed: (Uint8Array | undefined)[] = [];
  const segmentAt = (row: number) => segments[Math.floor(row / SEGMENT_ROWS)]!;
  /** A field of a row; undefined if the row is erased, whose memory may not be free yet. */
  const fieldAt = <Name extends keyof Segment>(name: Name, row: number): Segment[Name][number] =>
    isErased(erased, row) ? undefined : segmentAt(row)[name][row % SEGMENT_ROWS];
  const identities = createIdentities(
    (row, eventTs, insertId) => fieldAt('eventTs', row) === eventTs && fieldAt('insertId', row) === insertId,
    (row) => {
      const [eventTs, insertId] = [fieldAt('eventTs', row), fieldAt('insertId', row)];
      return eventTs === undefined || insertId === undefined ? undefined : { eventTs, insertId };
    },
    hash,
  );

  /** Interns a text: events have few distinct names, and the same users come again. */
  function share(text: string): string {
    const known = shared.get(text);
    if (known === undefined && shared.size < SHARED_TEXTS_MAX) shared.set(text, text);
    return known ?? text;
  }

  function add({ eventName, userId, insertId, eventTs, propertiesJson, receivedAt }: StoredEvent): void {
    if (size % SEGMENT_ROWS === 0) segments.push(createSegment());
    const last = segments.at(-1)!;
    last.eventName.push(share(eventName));
    last.userId.push(share(userId));
    last.insertId.push(insertId);
    last.eventTs.push(eventTs);
    last.receivedAt.push(receivedAt);
    last.properties.push(propertiesJson);
    size += 1;
  }

  /** The values of a field of rows, which may be of several segments. */
  function slice<Name extends keyof Segment>(name: Name, from: number, to: number): Segment[Name][number][] {
    const values: Segment[Name][number][] = [];
    for (let row = from; row < to;) {
      const segment = Math.floor(row / SEGMENT_ROWS);
      const end = Math.min(to, (segment + 1) * SEGMENT_ROWS);
      const bitmap = erased.bitmaps[segment];
      const field = segments[segment]![name];
      for (; row < end; row++) {
        const local = row % SEGMENT_ROWS;
        values.push(hasBit(bitmap, local) ? undefined : field[local]);
      }
    }
    return values;
  }

  function freeSegment(segment: number, bitmap: Uint8Array): void {
    if (segments[segment] === GONE) return;
    if (countBits(bitmap) === SEGMENT_ROWS) return void (segments[segment] = GONE);
    const fields = Object.values(segments[segment]!) as unknown[][];
    for (let local = 0; local < SEGMENT_ROWS; local++) {
      if (hasBit(bitmap, local)) for (const field of fields) field[local] = undefined;
    }
  }

  const lengthAt = (row: number) => segmentAt(row).properties[row % SEGMENT_ROWS]?.length ?? 0;

  /** The event of a row that is not erased. */
  function eventAt(row: number): StoredEvent {
    const segment = segmentAt(row);
    const local = row % SEGMENT_ROWS;
    return {
      eventName: segment.eventName[local]!,
      userId: segment.userId[local]!,
      eventTs: segment.eventTs[local]!,
      insertId: segment.insertId[local]!,
      propertiesJson: segment.properties[local]!,
      receivedAt: segment.receivedAt[local],
    };
  }

  function createView(): EventLog {
    const own = { version, erased };
    const check = () => {
      if (isEnded || version !== own.version) throw new LogGoneError('The log was erased.');
    };
    return {
      id,
      version,
      erased: () => own.erased,
      size() {
        check();
        return size;
      },
      values(paths, from, to) {
        check();
        const below = paths.filter(({ root }) => root === 'properties');
        const end = below.length === 0 ? to : from + countOfPiece(to - from, (i) => lengthAt(from + i));
        const found = below.length === 0 ? [] : valuesIn(slice('properties', from, end), below);
        return paths.map((path) =>
          path.root === 'properties' ? found[below.indexOf(path)]! : slice(path.root, from, end),
        );
      },
      valuesAt(paths, rows) {
        check();
        const below = paths.filter(({ root }) => root === 'properties');
        const end = below.length === 0 ? rows.length : countOfPiece(rows.length, (i) => lengthAt(rows[i]!));
        const some = end === rows.length ? rows : rows.slice(0, end);
        const pick = <Name extends keyof Segment>(name: Name) => some.map((row) => fieldAt(name, row));
        const found = below.length === 0 ? [] : valuesIn(pick('properties'), below);
        return paths.map((path) =>
          path.root === 'properties' ? found[below.indexOf(path)]! : pick(path.root),
        );
      },
      insertIdAt(row) {
        check();
        return fieldAt('insertId', row)!;
      },
      events(rows) {
        const piece = rows.slice(
          0,
          countOfPiece(rows.length, (i) => lengthAt(rows[i]!)),
        );
        if (isEnded || (erased.count > 0 && piece.some((row) => isErased(erased, row))))
          throw new LogGoneError('Events of the page were erased while it was read.');
        return piece.map(eventAt);
      },
      bytesOf: (rows) => rows.reduce((sum, row) => sum + lengthAt(row) + EVENT_OVERHEAD_BYTES, 0),
    };
  }
  let view = createView();

  return {
    view: () => view,
    append(events, namesMax = Infinity) {
      const duplicates: number[] = [];
      const overNames: number[] = [];
      events.forEach((event, index) => {
        const { eventTs, insertId, eventName } = event;
        if (!distinctNames.has(eventName) && distinctNames.size >= namesMax) {
          return void overNames.push(index);
        }
        if (!identities.add(eventTs, insertId)) return void duplicates.push(index);
        distinctNames.add(eventName);
        add(event);
      });
      return { duplicates, overNames };
    },
    names: () => [...distinctNames].sort(compareCodePoints),
    erase(chosen, query) {
      if (isEnded || chosen.log !== view) return undefined;
      const later: StoredEvent[] = [];
      for (let row = chosen.end; row < size; row++) later.push(eventAt(row));
      const { bitmaps, count, names } = withLater(chosen, query, later);
      for (const name of names) distinctNames.delete(name);
      const all = [...erased.bitmaps];
      bitmaps.forEach((bitmap, segment) => {
        if (bitmap === undefined) return;
        all[segment] = unionOf(bitmap, all[segment]);
      });
      erased = toErasedRows(all);
      version += 1;
      view = createView();
      return count;
    },
    async free(pacer) {
      for (const [segment, bitmap] of erased.bitmaps.entries()) {
        if (bitmap === undefined || freed[segment] === bitmap) continue;
        freeSegment(segment, bitmap);
        freed[segment] = bitmap;
        await pacer.yieldIfDue();
      }
    },
    end() {
      isEnded = true;
      return size - erased.count;
    },
  };
}
