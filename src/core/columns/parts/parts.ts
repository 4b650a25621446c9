import { reserveOrThrow, type CacheEntry, type MemoryBudget } from '../../bounds/memory-budget.ts';
import { pathText, type Path } from '../../filter/path.ts';
import { createColumn, type Column, type ColumnLimits } from '../column/column.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { createLiveDocs, type LiveDocs } from '../log/live-docs.ts';
import type { EventLog } from '../log/log.ts';
import { createIdHashes, type IdHashes } from '../order/id-hashes.ts';
import { createOrder, type Order } from '../order/order.ts';
import { createKnownProperties, type KnownProperties } from '../properties/known-properties.ts';
import type { KnownParts } from './known-parts.ts';
import type { QuestionTools } from '../sources/question.ts';

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
  liveDocsOf(question: QuestionTools): LiveDocs;
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

/** A column is dropped if half of its values, and so many more, have no row: they take memory for nothing. */
const UNUSED_MIN = 4096;

/** Begins without parts. A part reads nothing before it is indexed. */
export function createParts(log: EventLog, options: PartsOptions): Parts {
  const { owner, memory, limits, hash, evicted } = options;
  const columns = new Map<string, Column>();
  /** Questions may continue after that. The parts that they make then are freed when they end. */
  let isDisposed = false;
  const order = createSole((entry) => createOrder(log, entry));
  const liveDocs = createSole((entry) => createLiveDocs(log, entry));
  const idHashes = createSole(
    (entry) => createIdHashes(log, hash, entry),
    ({ disabled }) => disabled,
  );
  const properties = createSole(
    (entry) => createKnownProperties(log, entry),
    // Erased events are among those that were counted.
    ({ isBroken, version }) => isBroken || version !== log.version,
  );

  /**
   * Manages a part that a log has one of. It is made on demand, and again if it was evicted or is of no use.
   */
  function createSole<T extends { readonly entry: CacheEntry }>(
    make: (entry: CacheEntry) => T,
    isSpent: (part: T) => boolean = () => false,
  ) {
    let part: T | undefined;
    function drop(): void {
      part?.entry.discard();
      part = undefined;
    }
    return {
      drop,
      of: (question: QuestionTools): T => {
        if (part === undefined || isSpent(part)) {
          const entry = memory.cacheEntry(owner, () => part === own && (part = undefined));
          reserveOrThrow(entry, PART_BYTES);
          part?.entry.discard();
          part = make(entry);
        } else {
          part.entry.pin();
        }
        const own = part;
        question.atEnd(() => {
          if (isDisposed && part === own) drop();
          own.entry.unpin();
        });
        return own;
      },
      known: () => part,
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

  function makeColumn(path: Path, text: string): Column {
    const entry = memory.cacheEntry(owner, () => columns.get(text) === column && columns.delete(text));
    reserveOrThrow(entry, COLUMN_BYTES + text.length * 8);
    const column = createColumn(log, path, { limits, hash, entry });
    columns.set(text, column);
    return column;
  }

  async function settle(pacer: Pacer): Promise<void> {
    bookErased();
    order.known()?.settle();
    idHashes.known()?.settle();
    for (const [text, column] of [...columns]) {
      if (columns.get(text) !== column) continue;
      column.entry.pin();
      try {
        const unused = await column.settle(pacer);
        if (unused <= column.dictionary.values.length / 2 + UNUSED_MIN) continue;
        // The next question reads it again, with the values that there are.
        columns.delete(text);
        column.entry.discard();
      } finally {
        column.entry.unpin();
      }
    }
  }

  return {
    columnOf(path, question) {
      const text = pathText(path);
      const known = columns.get(text);
      if (known !== undefined) known.entry.pin();
      const column = known ?? makeColumn(path, text);
      question.atEnd(() => {
        // There may be memory for it when the next question needs it.
        const isOver = isDisposed || column.disabled === 'no memory';
        if (isOver && columns.get(text) === column) {
          columns.delete(text);
          column.entry.discard();
        }
        column.entry.unpin();
      });
      return column;
    },
    ownColumnOf(view, path, { atEnd }) {
      const entry = memory.cacheEntry(owner, () => undefined);
      atEnd(() => (entry.discard(), entry.unpin()));
      reserveOrThrow(entry, COLUMN_BYTES);
      return createColumn(view, path, { limits: OWN_LIMITS, hash, entry });
    },
    orderOf: order.of,
    idHashesOf: idHashes.of,
    propertiesOf: properties.of,
    liveDocsOf: liveDocs.of,
    settle,
    pinIndex({ atEnd }) {
      if (index === undefined) index = bookIndex();
      else index.pin();
      if (index !== undefined) atEnd(unpinIndex);
    },
    known: {
      column: (path) => columns.get(pathText(path)),
      paths: () => Array.from(columns.values(), ({ path }) => path),
      order: order.known,
      idHashes: idHashes.known,
    },
    dispose() {
      isDisposed = true;
      for (const sole of [order, idHashes, properties, liveDocs]) sole.drop();
      for (const column of columns.values()) column.entry.discard();
      columns.clear();
      index?.discard();
    },
  };
}
