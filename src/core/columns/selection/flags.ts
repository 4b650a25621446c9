import type { During, Test } from '../../filter/condition.ts';
import { compileInstants } from '../../filter/instants.ts';
import { compileTest } from '../../filter/predicate.ts';
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

/** Compares the instants of an order with ranges of time. */
export function createInstantFlags(log: EventLog, order: Order, { ranges }: During): Flags {
  const holds = compileInstants(ranges);
  return createFlags(log, (bytes, from, to) => {
    const { instants } = order;
    for (let row = from; row < to; row++) bytes[row] = Number(holds(instants[row]!));
  });
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
