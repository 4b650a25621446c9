import type { Pacer } from '../../bounds/scheduler.ts';

/** Something that is derived from the rows of a log, step by step. */
export interface DerivedPart {
  /** How many rows, from the first, it has taken in. */
  readonly covered: number;
  /** Does one step towards covering `to` rows: it takes in some of them, or prepares that. */
  extend(to: number): void;
}

const STEP_ROWS_FIRST = 512;
const STEP_ROWS_MIN = 64;
const STEP_ROWS_MAX = 32_768;
const STEP_MS_MIN = 1.5;
const STEP_MS_MAX = 4;

/** Makes steps over rows, which learn how many rows take a few milliseconds. */
export function createStep(pacer: Pacer): (work: (rows: number) => void) => Promise<void> | undefined {
  let rows = STEP_ROWS_FIRST;
  return (work) => {
    const began = pacer.now();
    work(rows);
    const tookMs = pacer.now() - began;
    if (tookMs > STEP_MS_MAX) rows = Math.max(STEP_ROWS_MIN, rows >> 1);
    else if (tookMs < STEP_MS_MIN) rows = Math.min(STEP_ROWS_MAX, rows << 1);
    return pacer.yieldIfDue();
  };
}

/**
 * Extends a part until it covers `size` rows, in steps of a few milliseconds. Several calls for one part
 * share the work: each step goes on from where the last one, of whichever call, has stopped.
 */
export async function cover(part: DerivedPart, size: number, pacer: Pacer): Promise<void> {
  const step = createStep(pacer);
  while (part.covered < size) await step((rows) => part.extend(Math.min(size, part.covered + rows)));
}
