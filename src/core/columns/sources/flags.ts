import { reserveOrThrow, type Reservation } from '../../bounds/memory-budget.ts';
import { weigh } from '../counting/count-loops.ts';
import { toSegmentCodes, type Leaf } from '../selection/selector.ts';
import type { ErasedRows } from '../log/erased-rows.ts';
import type { ConditionLeaf } from '../analysis/path-test.ts';

/** The results of some tests for each row, for one question: a row has one bit for each test. */
export interface Flags {
  /** Notes that a row passes a test. */
  set(row: number, test: number): void;
  /** The leaf of one of the tests, when all rows were evaluated. */
  leaf(test: ConditionLeaf): Leaf;
}

/** How many tests share the byte of a row: one bit each. */
const TESTS_PER_BYTE = 8;

/** No row passes any test, as yet. */
export function createFlags(
  tests: readonly ConditionLeaf[],
  size: number,
  erased: ErasedRows,
  reservation: Reservation,
): Flags {
  const count = Math.ceil(tests.length / TESTS_PER_BYTE);
  reserveOrThrow(reservation, count * size);
  const bytes = Array.from({ length: count }, () => new Uint8Array(size));
  /** How many rows have each byte. */
  const occurrences = bytes.map(() => new Uint32Array(256));
  for (const tally of occurrences) tally[0] = size;
  const segments = bytes.map(toSegmentCodes);
  return {
    set(row, test) {
      const place = test >> 3;
      const own = bytes[place]!;
      const tally = occurrences[place]!;
      tally[own[row]!]! -= 1;
      own[row]! |= 1 << (test & 7);
      tally[own[row]!]! += 1;
    },
    leaf(test) {
      const index = tests.indexOf(test);
      const tally = occurrences[index >> 3]!;
      // Erased rows are among those that were tested.
      const countAll = (mask: Uint8Array, rows: number) =>
        rows === size && erased.count === 0 ? weigh(mask, tally) : undefined;
      return { kind: 'leaf', codes: segments[index >> 3]!, mask: maskOfBit(index & 7), countAll };
    },
  };
}

/** Which bytes have a bit: the byte of a row is its code, and the bit is the result of one test. */
function maskOfBit(bit: number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (byte >> bit) & 1);
}
