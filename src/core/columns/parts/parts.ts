import { reserveOrThrow, type CacheEntry, type MemoryBudget } from '../../bounds/memory-budget.ts';
import { pathText, type Path } from '../../filter/path.ts';
import { createColumn, type Column, type ColumnLimits } from '../column/column.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { carryOverCodes, carryOverOrder, type PreviousVersion } from './previous-version.ts';
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
  /** Books the memory of the index itself and of the log's live rows, at least until the question ends. */
  pinIndex(question: QuestionTools): void;
  /** What is known of the previous version; undefined if there was none, or if it was disposed of. */
  knownOfPrevious(): KnownParts | undefined;
  /** Disposes of the previous version. Nothing more is carried over from it. */
  forgetPrevious(): void;
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
  /** The previous version of the log, from which parts carry over what is still valid. */
  readonly previous?: PreviousVersion | undefined;
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

/** Begins without parts. A part reads nothing before it is indexed. */
export function createParts(log: EventLog, options: PartsOptions): Parts {
  const { owner, memory, limits, hash, evicted } = options;
  let { previous } = options;
  const columns = new Map<string, Column>();
  /** Questions may continue after that. The parts that they make then are freed when they end. */
  let isDisposed = false;
  const order = createSole((entry, question) =>
    createOrder(log, entry, previous && carryOverOrder(previous, question)),
  );
  const idHashes = createSole(
    (entry) => createIdHashes(log, hash, entry),
    ({ disabled }) => disabled,
  );
  const properties = createSole(
    (entry) => createKnownProperties(log, entry),
    ({ isBroken }) => isBroken,
  );

  /**
   * Manages a part that a log has one of. It is made on demand, and again if it was evicted or is of no use.
   */
  function createSole<T extends { readonly entry: CacheEntry }>(
    make: (entry: CacheEntry, question: QuestionTools) => T,
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
          part = make(entry, question);
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

  /** Undefined if there is no memory: the index exists already, so refusing would only fail all questions. */
  function bookIndex(): CacheEntry | undefined {
    const entry = memory.cacheEntry(owner, evicted);
    if (entry.reserve(INDEX_BYTES + (log.liveRows?.()?.bytes ?? 0))) return entry;
    entry.discard();
    entry.unpin();
    return undefined;
  }

  function unpinIndex(): void {
    if (isDisposed) index?.discard();
    index?.unpin();
  }

  function makeColumn(path: Path, text: string, question: QuestionTools): Column {
    const entry = memory.cacheEntry(owner, () => columns.get(text) === column && columns.delete(text));
    reserveOrThrow(entry, COLUMN_BYTES + text.length * 8);
    const carried = previous && carryOverCodes(previous, path, question);
    const column = createColumn(log, path, { limits, hash, entry, carried });
    columns.set(text, column);
    return column;
  }

  function forgetPrevious(): void {
    previous?.dispose();
    previous = undefined;
  }

  return {
    columnOf(path, question) {
      const text = pathText(path);
      const known = columns.get(text);
      if (known !== undefined) known.entry.pin();
      const column = known ?? makeColumn(path, text, question);
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
    knownOfPrevious: () => previous?.known,
    forgetPrevious,
    dispose() {
      isDisposed = true;
      forgetPrevious();
      for (const sole of [order, idHashes, properties]) sole.drop();
      for (const column of columns.values()) column.entry.discard();
      columns.clear();
      index?.discard();
    },
  };
}
