import { overloaded } from '../../base/errors.ts';
import { startOfBucket } from '../../event/time-unit.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { FilterPath, Path } from '../../filter/path.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Column } from '../column.ts';
import { cover } from '../cover.ts';
import type { EventLog, Codes } from '../log.ts';

/** What a path finds in the rows of one question: a code for each, and the value of each code. */
export interface Coded {
  readonly codes: Codes;
  /** Grows while others ask about later rows; of this question are the first `count` only. */
  readonly values: readonly FoundValue[];
  readonly count: number;
  /** How many of the first `size` rows have each code, where that is known without looking at them. */
  readonly tallyAll: (size: number) => Uint32Array | undefined;
}

/** A path that one question reads as codes. */
export interface Reading {
  /** Brings the reading to know the first `size` rows. */
  cover(size: number): Promise<void>;
  /** Whether it knows them. */
  isReady(size: number): boolean;
  /** What it knows now. */
  take(): Coded;
}

/** Where a reading's columns come from. */
export interface ReadingTools {
  readonly log: EventLog;
  /** The column that all questions about a path share. */
  readonly columnOf: (path: Path) => Column;
  /** A column that lives no longer than the question, whatever it takes. */
  readonly ownColumnOf: (log: EventLog, path: Path) => Column;
  readonly pacer: Pacer;
}

/**
 * Reads a path for one question, from the shared column where that pays and fits. Each event has an instant
 * and an id of its own, so their dictionaries would be as long as the log.
 */
export function createReading({ root, segments }: FilterPath, tools: ReadingTools): Reading {
  const { log, columnOf, ownColumnOf, pacer } = tools;
  const isShared = root === 'eventName' || root === 'userId' || root === 'properties';
  const shared = isShared ? columnOf({ root, segments }) : undefined;
  let own: Column | undefined;

  function openOwn(): Column {
    const byDay = root === 'eventDate';
    return ownColumnOf(toOwnLog(log, byDay), { root: byDay ? 'eventTs' : root, segments });
  }

  return {
    async cover(size) {
      if (shared !== undefined && own === undefined) {
        await cover(shared, size, pacer);
        await shared.save(pacer);
        if (shared.givenUp === undefined) return;
      }
      own ??= openOwn();
      await cover(own, size, pacer);
      if (own.givenUp !== undefined) throw overloaded();
    },
    isReady(size) {
      const column = own ?? shared;
      return column !== undefined && column.givenUp === undefined && column.covered >= size;
    },
    take() {
      const column = (own ?? shared)!;
      const { codes, dictionary } = column;
      return {
        ...{ codes, values: dictionary.values, count: dictionary.values.length },
        // The occurrences are those of all covered rows, and those may have become more.
        tallyAll: (size) =>
          column.givenUp === undefined && column.covered === size ? column.occurrences : undefined,
      };
    },
  };
}

/**
 * A log that a column of one question reads, with the days of events in the place of their instants where
 * `byDay` says so. What is kept beside the log belongs to the shared columns, and to the order.
 */
function toOwnLog(log: EventLog, byDay: boolean): EventLog {
  const own: { -readonly [Name in keyof EventLog]: EventLog[Name] } = { ...log };
  delete own.chunks;
  if (!byDay) return own;
  own.values = (paths, from, to) =>
    (log.values(paths, from, to) as readonly (readonly number[])[]).map((instants) =>
      instants.map((instant) => startOfBucket('day', instant)),
    );
  return own;
}
