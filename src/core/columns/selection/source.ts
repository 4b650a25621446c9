import type { Atom, Condition, During, Test } from '../../filter/condition.ts';
import type { Column } from '../column.ts';
import { createInstantFlags, createStreamedFlags, type Flags } from './flags.ts';
import type { EventLog } from '../log.ts';
import type { Order } from '../order.ts';
import { cover, type Pacer } from '../pace.ts';
import type { Leaf } from './selector.ts';
import { judge, nextStep } from './verdict.ts';

/** Where the leaf of one test comes from: first it is brought up to the log, then it is taken as it is. */
export interface Source {
  /** Brings the source to cover `size` rows, with pauses. */
  cover(size: number): Promise<void>;
  /** Does the rest without a pause; false when that would take long, and `cover` has to come first. */
  catchUp(size: number): boolean;
  /** The leaf as of now. */
  leaf(): Leaf;
}

/** How many rows may be taken in without a pause. */
export const CATCH_UP_ROWS = 8192;

/** Smaller dictionaries are judged in less than a millisecond. */
const UNPAUSED_BYTES_MAX = 1_048_576;
const YES = Uint8Array.of(0, 1);

/** What a condition asks of single places of an event. */
export function atomsOf(condition: Condition): Atom[] {
  switch (condition.kind) {
    case 'test':
    case 'during':
      return [condition];
    case 'not':
      return atomsOf(condition.of);
    default:
      return condition.of.flatMap(atomsOf);
  }
}

/** Ranges of time, which need no dictionary: the order has each row's instant. */
export function createInstantSource(log: EventLog, order: Order, during: During, pacer: Pacer): Source {
  return createFlagsSource(createInstantFlags(log, order, during), pacer);
}

/** A test whose path is read from the log for this query alone. */
export function createStreamedSource(log: EventLog, test: Test, pacer: Pacer): Source {
  return createFlagsSource(createStreamedFlags(log, test), pacer);
}

function createFlagsSource(flags: Flags, pacer: Pacer): Source {
  return {
    cover: (size) => cover(flags, size, pacer),
    catchUp(size) {
      if (size - flags.covered > CATCH_UP_ROWS) return false;
      if (flags.covered < size) flags.extend(size);
      return true;
    },
    leaf: () => ({ kind: 'leaf', codes: flags.bytes, verdict: YES }),
  };
}

/** A test over a column; should the column be given up on the way, the path is streamed instead. */
export function createColumnSource(log: EventLog, column: Column, test: Test, pacer: Pacer): Source {
  const verdict = column.verdicts.of(test);
  let streamed: Source | undefined;
  return {
    async cover(size) {
      await cover(column, size, pacer);
      while (!column.plain && verdict.judged < column.dictionary.values.length) {
        judge(verdict, test, column.dictionary, nextStep(verdict, test, column.dictionary));
        // A hundred tests of one large dictionary are a hundred long steps, each the last of its test.
        if (column.dictionary.bytes > UNPAUSED_BYTES_MAX) await pacer.pause();
      }
      await column.save(pacer);
      if (column.plain) await (streamed ??= createStreamedSource(log, test, pacer)).cover(size);
    },
    catchUp(size) {
      if (size - column.covered > CATCH_UP_ROWS) return false;
      while (column.covered < size) column.extend(size);
      if (column.plain) return streamed?.catchUp(size) ?? false;
      const codes = column.dictionary.values.length;
      if (nextStep(verdict, test, column.dictionary) < codes) return false;
      judge(verdict, test, column.dictionary, codes);
      return true;
    },
    leaf() {
      if (streamed !== undefined) return streamed.leaf();
      const { codes, dictionary, occurrences, covered } = column;
      const bytes = verdict.bytes.subarray(0, dictionary.values.length);
      return { kind: 'leaf', codes, verdict: bytes, occurrences, covered };
    },
  };
}
