import { reserveOrThrow, type CacheEntry, type MemoryBudget } from '../../bounds/memory-budget.ts';
import { pathText, type Path } from '../../filter/path.ts';
import { createColumn, type Column, type ColumnLimits } from '../column/column.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { EventLog } from '../log/log.ts';
import { createIdHashes, type IdHashes } from '../order/id-hashes.ts';
import { createOrder, type Order } from '../order/order.ts';
import { createKnownProperties, type KnownProperties } from '../properties/known-properties.ts';
import type { QuestionTools } from '../sources/question.ts';

/** The parts that an index has now. They are undefined until a question needs them. */
export interface KnownParts {
  column(path: Path): Column | undefined;
  /** The paths that have a column. */
  readonly paths: () => readonly Path[];
  readonly order: () => Order | undefined;
  readonly idHashes: () => IdHashes | undefined;
}

/**
 * The parts of a log's index: columns of the paths that queries have named, the order, ids and properties.
 */
export interface Parts {
  /** The column of a path. It is not evicted before the question ends. */
  columnOf(path: Path, question: QuestionTools): Column;
  /** A column of a path for this question alone, without limits on its size. */
  ownColumnOf(view: EventLog, path: Path, question: QuestionTools): Column;
  orderOf(question: QuestionTools): Order;
  idHashesOf(question: QuestionTools): IdHashes;
  /** The parts that exist now, for looking only: it pins none of them. */
  readonly known: KnownParts;
  propertiesOf(question: QuestionTools): KnownProperties;
  /** Books the memory of the index itself and of the log's erased rows, at least until the question ends. */
  pinIndex(question: QuestionTools): void;
  /**
   * Frees what the last erasure has left: segments that are erased as a whole, and columns most of whose
   * values no row has any more. Counts of all rows are right again without a look at them.
   */
  settle(pacer: Pacer): Promise<void>;
  /** Frees everything that no question uses, and the rest when the last question has ended. */
  dispose(): void;
}

export interface PartsOptions {
  /** The owner of the memory: the tenant's id. */
  readonly owner: string;
  readonly memory: MemoryBudget;
  readonly limits: ColumnLimits;
  readonly hash: KeyedHash;
  /** Called when the memory of the index itself is evicted. Index and log have to be made again then. */
  readonly evicted: () => void;
}

/**
 * The memory of an index without parts, with its log. If all tenants ask just once, this is all that grows.
 */
const INDEX_BYTES = 12_288;
/** The memory of an order in addition to its arrays. */
const PART_BYTES = 2048;
/** The memory of a column, doubled because the garbage collector walks its parts one by one. */
const COLUMN_BYTES = 8192;

/** A column for one question is limited by the memory budget only. A Map throws at 2^24. */
const OWN_LIMITS: ColumnLimits = { distinctMax: 2 ** 24 - 2, bytesMax: Infinity };

/** The name of a part that a log has one of. */
const SOLE = '';

/** A column is dropped if half of its values, and so many more, have no row: they take memory for nothing. */
const UNUSED_MIN = 4096;

/** What a question pins of an index while it uses it. */
interface Part {
  /** Its place in the memory budget. */
  readonly entry: CacheEntry;
}

/** Begins without parts. A part reads nothing before it is indexed. */
export function createParts(log: EventLog, options: PartsOptions): Parts {
  const { owner, memory, limits, hash, evicted } = options;
  /** Questions may continue after that. The parts that they make then are freed when they end. */
  let isDisposed = false;
  const order = createPool<Order>();
  const idHashes = createPool<IdHashes>(({ disabled }) => disabled);
  // Erased events are among those that were counted.
  const properties = createPool<KnownProperties>(
    ({ isBroken, version }) => isBroken || version !== log.version,
  );
  // There may be memory for it when the next question needs it.
  const columns = createPool<Column>(({ disabled }) => disabled === 'no memory');

  /**
   * Keeps parts of one kind by name. A part is made when a question needs it, and stays until it is evicted,
   * or is of no use any more.
   */
  function createPool<T extends Part>(isSpent: (part: T) => boolean = () => false) {
    const parts = new Map<string, T>();
    function drop(name: string, part: T): void {
      if (parts.get(name) === part) parts.delete(name);
      part.entry.discard();
    }
    return {
      drop,
      /** The part of a name, which takes some bytes before it is indexed; pinned until the question ends. */
      of(name: string, bytes: number, make: (entry: CacheEntry) => T, question: QuestionTools): T {
        const known = parts.get(name);
        let own: T;
        if (known === undefined || isSpent(known)) {
          const entry = memory.cacheEntry(owner, () => parts.get(name) === own && parts.delete(name));
          reserveOrThrow(entry, bytes);
          known?.entry.discard();
          parts.set(name, (own = make(entry)));
        } else {
          own = known;
          own.entry.pin();
        }
        question.atEnd(() => {
          if (isDisposed || isSpent(own)) drop(name, own);
          own.entry.unpin();
        });
        return own;
      },
      clear: () => [...parts].forEach(([name, part]) => drop(name, part)),
      known: (name: string): T | undefined => parts.get(name),
      all: (): readonly (readonly [string, T])[] => [...parts],
    };
  }

  /** Undefined until the first question. */
  let index: CacheEntry | undefined;
  /** The bytes of the erased rows that are booked with the index. */
  let erasedBytes = 0;

  const bytesOfErased = () => log.erased().bitmaps.reduce((sum, bitmap) => sum + (bitmap?.length ?? 0), 0);

  /** Undefined if there is no memory: the index exists already, so refusing would only fail all questions. */
  function bookIndex(): CacheEntry | undefined {
    const entry = memory.cacheEntry(owner, evicted);
    const bytes = bytesOfErased();
    if (entry.reserve(INDEX_BYTES + bytes)) {
      erasedBytes = bytes;
      return entry;
    }
    entry.discard();
    entry.unpin();
    return undefined;
  }

  /** Books what the last erasure has added. If there is no memory, the next one tries again. */
  function bookErased(): void {
    const more = bytesOfErased() - erasedBytes;
    if (index?.reserve(more) === true) erasedBytes += more;
  }

  function unpinIndex(): void {
    if (isDisposed) index?.discard();
    index?.unpin();
  }

  async function settle(pacer: Pacer): Promise<void> {
    bookErased();
    order.known(SOLE)?.settle();
    idHashes.known(SOLE)?.settle();
    for (const [text, column] of columns.all()) {
      if (columns.known(text) !== column) continue;
      column.entry.pin();
      try {
        const unused = await column.settle(pacer);
        // The next question reads it again, with the values that there are.
        if (unused > column.dictionary.values.length / 2 + UNUSED_MIN) columns.drop(text, column);
      } finally {
        column.entry.unpin();
      }
    }
  }

  return {
    columnOf(path, question) {
      const text = pathText(path);
      const make = (entry: CacheEntry) => createColumn(log, path, { limits, hash, entry });
      return columns.of(text, COLUMN_BYTES + text.length * 8, make, question);
    },
    ownColumnOf(view, path, { atEnd }) {
      const entry = memory.cacheEntry(owner, () => undefined);
      atEnd(() => (entry.discard(), entry.unpin()));
      reserveOrThrow(entry, COLUMN_BYTES);
      return createColumn(view, path, { limits: OWN_LIMITS, hash, entry });
    },
    orderOf: (question) => order.of(SOLE, PART_BYTES, (entry) => createOrder(log, entry), question),
    idHashesOf: (question) =>
      idHashes.of(SOLE, PART_BYTES, (entry) => createIdHashes(log, hash, entry), question),
    propertiesOf: (question) =>
      properties.of(SOLE, PART_BYTES, (entry) => createKnownProperties(log, entry), question),
    settle,
    pinIndex({ atEnd }) {
      if (index === undefined) index = bookIndex();
      else index.pin();
      if (index !== undefined) atEnd(unpinIndex);
    },
    known: {
      column: (path) => columns.known(pathText(path)),
      paths: () => columns.all().map(([, { path }]) => path),
      order: () => order.known(SOLE),
      idHashes: () => idHashes.known(SOLE),
    },
    dispose() {
      isDisposed = true;
      for (const pool of [order, idHashes, properties, columns]) pool.clear();
      index?.discard();
    },
  };
}
