import { overloaded } from '../../base/errors.ts';
import { startOfDay } from '../../event/time.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { Path } from '../../filter/path.ts';
import type { GroupPath } from '../../query/grouping.ts';
import { LATENESS_ROOT, latenessOf } from '../../query/lateness.ts';
import type { Column } from '../column/column.ts';
import { forOneQuestion, indexAndSave, indexUpTo } from '../log/index-up-to.ts';
import type { EventLog } from '../log/log.ts';
import type { SegmentCodes } from '../selection/selector.ts';
import type { QuestionTools } from '../sources/question.ts';

/** What a path finds in the rows of one question: a code for each, and the value of each code. */
export interface Coded {
  readonly codes: SegmentCodes;
  /**
   * It grows while other questions index later rows. Only the first `count` values belong to this question.
   */
  readonly values: readonly FoundValue[];
  readonly count: number;
  /**
   * How many of the first `size` rows have each code, without erased ones; undefined if that takes a look at
   * the rows.
   */
  readonly tallyAll: (size: number) => Uint32Array | undefined;
}

/** A path that one question reads as codes. */
export interface CodeReader {
  /** The column that it shares with other questions; undefined if it has none. */
  readonly column: Column | undefined;
  /**
   * Indexes what the reading needs, and takes of it what the first `size` rows have.
   * What the question has taken stays as it is while others index more rows, run out of memory or erase.
   */
  open(size: number): Promise<Coded>;
}

/** Where a reading gets its columns. */
export interface ReadingParts {
  /** The column that all questions about a path share. */
  columnOf(path: Path, question: QuestionTools): Column;
  /** A column that lives no longer than the question, whatever it takes. */
  ownColumnOf(log: EventLog, path: Path, question: QuestionTools): Column;
}

/**
 * Reads a path for one question, from the shared column where that pays and fits. Each event has an instant
 * and an id of its own, so their dictionaries would be as long as the log.
 */
export function createCodeReader(
  path: GroupPath,
  log: EventLog,
  parts: ReadingParts,
  question: QuestionTools,
): CodeReader {
  const { pacer } = question;
  const { root, segments } = path;
  const shared = isShared(path) ? parts.columnOf(path, question) : undefined;

  function openOwn(): Column {
    if (!isDerived(root)) return parts.ownColumnOf(toOwnLog(log), { root, segments }, question);
    return parts.ownColumnOf(toOwnLog(log, DERIVED[root]), EVENT_TS, question);
  }

  const take = (column: Column): Coded => {
    const { codes, dictionary } = column;
    const { values } = dictionary;
    return {
      ...{ codes, values, count: values.length },
      tallyAll: (size) => column.occurrencesAt(log.version, size),
    };
  };

  return {
    column: shared,
    async open(size) {
      if (shared !== undefined) await indexAndSave(shared, size, pacer);
      if (shared !== undefined && shared.disabled === undefined) return take(shared);
      const own = openOwn();
      await indexUpTo(own, size, forOneQuestion(pacer));
      if (own.disabled !== undefined) throw overloaded();
      return take(own);
    },
  };
}

const EVENT_TS: Path = { root: 'eventTs', segments: [] };
const RECEIVED_AT: Path = { root: 'receivedAt', segments: [] };

/** A value that is computed from fields of a stored event: from which, and how. */
interface Derived {
  readonly from: readonly Path[];
  readonly derive: (...values: never[]) => number | undefined;
}

const DERIVED = {
  eventDate: { from: [EVENT_TS], derive: startOfDay },
  [LATENESS_ROOT]: { from: [EVENT_TS, RECEIVED_AT], derive: latenessOf },
} as const satisfies Record<string, Derived>;

/**
 * Whether the column of a path serves all questions. That of times and ids would be as long as the log, and
 * what is computed of them has none.
 */
export function isShared(path: GroupPath): path is Path {
  const { root } = path;
  return root !== 'eventTs' && root !== 'insertId' && !isDerived(root);
}

function isDerived(root: GroupPath['root']): root is keyof typeof DERIVED {
  return root in DERIVED;
}

/**
 * A view of the log for a column of one question. With `derived` it has computed values instead of instants.
 * It has no chunk store, because the stored chunks belong to the shared columns and to the order.
 */
function toOwnLog(log: EventLog, derived?: Derived): EventLog {
  const own: { -readonly [Name in keyof EventLog]: EventLog[Name] } = { ...log };
  delete own.chunks;
  if (derived === undefined) return own;
  const derive = derived.derive as (...values: FoundValue[]) => number | undefined;
  own.values = (_paths, from, to) => {
    const [first, second] = log.values(derived.from, from, to);
    // Nothing is computed from an erased row.
    return [first!.map((value, i) => (value === undefined ? undefined : derive(value, second?.[i])))];
  };
  return own;
}
