import {
  compareCodePoints,
  countOfPiece,
  EVENT_OVERHEAD_BYTES,
  LogGoneError,
  type AppendResult,
  type EventLog,
  type FoundValue,
  type KeyedHash,
  type Path,
  type StoredEvent,
  type LiveRows,
} from '../../src/store-kit.ts';
import { createIdentities } from './identities.ts';
import { createScan } from './scan.ts';

/** A log that takes new events. */
export interface MemoryLog extends EventLog {
  /** Adds events, as `EventStore.append` says. */
  append(events: readonly StoredEvent[], namesMax?: number): AppendResult;
  /** The distinct names of events, ascending by code point. */
  names(): readonly string[];
  /**
   * Marks these rows as erased, or all rows, and ends the log: later queries of it throw `LogGoneError`, and
   * so does reading a page that holds an erased row.
   */
  erase(rows?: Uint32Array): void;
}

/** The values of paths below `properties` in canonical JSON texts; one pass over each text finds them all. */
function valuesIn(texts: readonly string[], paths: readonly Path[]): FoundValue[][] {
  const lists = paths.map(() => new Array<FoundValue>(texts.length).fill(undefined));
  const scan = createScan(paths.map(({ segments }) => segments));
  let row = 0;
  const take = (path: number, value: FoundValue) => (lists[path]![row] = value);
  for (; row < texts.length; row++) scan(texts[row]!, take);
  return lists;
}

/** How many distinct texts are shared between events. */
const SHARED_TEXTS_MAX = 1_048_576;

/** One tenant's events as one array per field, so that an event needs no object of its own. */
export function createMemoryLog(id: number, hash: KeyedHash, liveRows?: LiveRows): MemoryLog {
  const names: string[] = [];
  const distinctNames = new Set<string>();
  const users: string[] = [];
  const insertIds: string[] = [];
  const instants: number[] = [];
  const texts: string[] = [];
  const arrivals: (number | undefined)[] = [];
  const fields = {
    eventName: names,
    userId: users,
    insertId: insertIds,
    eventTs: instants,
    receivedAt: arrivals,
  };
  const shared = new Map<string, string>();
  /** Set once the log has ended: 1 for each erased row. */
  let erased: Uint8Array | undefined;
  const identities = createIdentities(
    (row, eventTs, insertId) => instants[row] === eventTs && insertIds[row] === insertId,
    (row) => ({ eventTs: instants[row]!, insertId: insertIds[row]! }),
    hash,
  );

  /** Interns a text: events have few distinct names, and the same users come again. */
  function share(text: string): string {
    const known = shared.get(text);
    if (known === undefined && shared.size < SHARED_TEXTS_MAX) shared.set(text, text);
    return known ?? text;
  }

  /** How many of `count` rows are read in one step. */
  const countAtOnce = (count: number, rowAt: (i: number) => number) =>
    countOfPiece(count, (i) => texts[rowAt(i)]!.length);

  return {
    id,
    liveRows: () => liveRows,
    append(events, namesMax = Infinity) {
      const duplicates: number[] = [];
      const overNames: number[] = [];
      events.forEach(({ eventTs, insertId, eventName, userId, propertiesJson, receivedAt }, index) => {
        if (!distinctNames.has(eventName) && distinctNames.size >= namesMax) {
          return void overNames.push(index);
        }
        if (!identities.add(eventTs, insertId)) return void duplicates.push(index);
        distinctNames.add(eventName);
        names.push(share(eventName));
        users.push(share(userId));
        insertIds.push(insertId);
        instants.push(eventTs);
        texts.push(propertiesJson);
        arrivals.push(receivedAt);
      });
      return { duplicates, overNames };
    },
    names: () => [...distinctNames].sort(compareCodePoints),
    erase(rows) {
      erased = new Uint8Array(texts.length).fill(rows === undefined ? 1 : 0);
      for (const row of rows ?? []) erased[row] = 1;
    },
    size() {
      if (erased !== undefined) throw new LogGoneError('The log was erased.');
      return texts.length;
    },
    values(paths, from, to) {
      const below = paths.filter(({ root }) => root === 'properties');
      const end = below.length === 0 ? to : from + countAtOnce(to - from, (i) => from + i);
      const found = valuesIn(texts.slice(from, end), below);
      return paths.map((path) => {
        const { root } = path;
        return root === 'properties' ? found[below.indexOf(path)]! : fields[root].slice(from, end);
      });
    },
    insertIdAt: (row) => insertIds[row]!,
    events(rows) {
      const piece = rows.slice(
        0,
        countAtOnce(rows.length, (i) => rows[i]!),
      );
      if (erased !== undefined && piece.some((row) => erased![row] === 1))
        throw new LogGoneError('Events of the page were erased while it was read.');
      return piece.map((row) => ({
        eventName: names[row]!,
        userId: users[row]!,
        eventTs: instants[row]!,
        insertId: insertIds[row]!,
        propertiesJson: texts[row]!,
        receivedAt: arrivals[row],
      }));
    },
    bytesOf: (rows) => rows.reduce((sum, row) => sum + texts[row]!.length + EVENT_OVERHEAD_BYTES, 0),
  };
}
