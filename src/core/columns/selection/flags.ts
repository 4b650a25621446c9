import { compileTest } from '../../filter/compile-closures.ts';
import type { Test } from '../../filter/condition.ts';
import { readValues, type EventLog } from '../log.ts';
import type { Order } from '../order.ts';
import type { Part } from '../pace.ts';

/** What a test says of each row, 1 for yes: for one query, where a dictionary would not pay. */
export interface Flags extends Part {
  readonly bytes: Uint8Array;
}

/** Streams a path of very many values from the log through the test. */
export function createStreamedFlags(log: EventLog, test: Test): Flags {
  const passes = compileTest(test);
  return createFlags(log, (bytes, from, to) => {
    const values = readValues(log, test.path, from, to);
    for (let i = 0; i < values.length; i++) bytes[from + i] = Number(passes(values[i]));
  });
}

/**
 * Compares the instants of an order. What the operators say of an instant changes only at the operands, so
 * they are asked once for each operand and once for each gap between two; a row then costs a binary search
 * among those.
 */
export function createInstantFlags(log: EventLog, order: Order, test: Test): Flags {
  const operands = Array.isArray(test.operand) ? test.operand : [test.operand];
  const numbers = operands.filter((operand) => typeof operand === 'number');
  const limits = Float64Array.from(new Set(numbers)).sort();
  const passes = compileTest(test);
  const verdict = Uint8Array.from({ length: limits.length * 2 + 1 }, (_, region) =>
    Number(passes(instantWithin(limits, region))),
  );
  return createFlags(log, (bytes, from, to) =>
    compareInstants(bytes, order.instants, limits, verdict, from, to),
  );
}

/**
 * An instant of a region: regions alternate between the gaps, from below the first limit on, and the limits.
 */
function instantWithin(limits: Float64Array, region: number): number {
  const above = limits[region >> 1];
  if (region % 2 === 1) return above ?? 0;
  const below = limits[(region >> 1) - 1];
  if (above === undefined) return (below ?? 0) + 1;
  return below === undefined ? above - 1 : (below + above) / 2;
}

function compareInstants(
  bytes: Uint8Array,
  instants: Float64Array,
  limits: Float64Array,
  verdict: Uint8Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const instant = instants[row]!;
    let low = 0;
    let high = limits.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (limits[middle]! < instant) low = middle + 1;
      else high = middle;
    }
    const onLimit = low < limits.length && limits[low] === instant;
    bytes[row] = verdict[low * 2 + (onLimit ? 1 : 0)]!;
  }
}

function createFlags(log: EventLog, fill: (bytes: Uint8Array, from: number, to: number) => void): Flags {
  let bytes = new Uint8Array(0);
  let covered = 0;
  return {
    get bytes() {
      return bytes;
    },
    get covered() {
      return covered;
    },
    extend(to) {
      if (to > bytes.length) {
        const wider = new Uint8Array(Math.max(to, log.size()));
        wider.set(bytes.subarray(0, covered));
        bytes = wider;
      }
      fill(bytes, covered, to);
      covered = to;
    },
  };
}
