import { reserveOrThrow, type Reservation } from '../../bounds/memory-budget.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Scalar } from '../../filter/operands.ts';
import type { FoundValue } from '../../filter/operators.ts';
import type { Coded } from './reading.ts';

/** Counts distinct scalars in rounds. */
export interface DistinctCounter {
  /** Begins a new round. */
  begin(): void;
  /** Adds codes to the round. */
  add(codes: Uint32Array): void;
  /** How many distinct scalars this round has met. */
  readonly found: number;
}

/** How many values are looked at between two pauses. */
const STEP_VALUES = 65_536;

/** So many rounds have a number of their own. */
const ROUNDS_MAX = 65_535;

/** Whether a value can be a group or a distinct value. */
export function isScalar(value: FoundValue): value is Scalar {
  return value !== undefined && value !== null && typeof value !== 'object';
}

/** A value that can be a group; undefined for any other. */
export const scalarOf = (value: FoundValue): Scalar | undefined => (isScalar(value) ? value : undefined);

/** A weight for each of the first `count` values: 1 for a scalar, 0 for any other value. */
export async function weighScalars(
  values: readonly FoundValue[],
  count: number,
  pacer: Pacer,
): Promise<Uint8Array> {
  const weights = new Uint8Array(count);
  for (let code = 0; code < count; code++) {
    weights[code] = Number(isScalar(values[code]));
    if (code % STEP_VALUES === STEP_VALUES - 1) await pacer.yieldIfDue();
  }
  return weights;
}

/** Makes a counter of what a reading finds. */
export async function createDistinctCounter(
  { values, count }: Coded,
  { reservation, pacer }: { readonly reservation: Reservation; readonly pacer: Pacer },
): Promise<DistinctCounter> {
  reserveOrThrow(reservation, count * 3);
  const weights = await weighScalars(values, count, pacer);
  /** The last round that had each code, so that a new round seldom has to clear an array. */
  const rounds = new Uint16Array(count);
  let round = 0;
  const counter = {
    found: 0,
    begin() {
      if (round === ROUNDS_MAX) {
        rounds.fill(0);
        round = 0;
      }
      round += 1;
      counter.found = 0;
    },
    add(codes: Uint32Array) {
      let { found } = counter;
      for (let i = 0; i < codes.length; i++) {
        const code = codes[i]!;
        if (rounds[code] === round) continue;
        rounds[code] = round;
        found += weights[code]!;
      }
      counter.found = found;
    },
  };
  return counter;
}
