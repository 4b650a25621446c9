import type { Pacer } from '../../bounds/scheduler.ts';

/** A part of the index that is derived from the rows of a log, step by step. */
export interface DerivedPart {
  /** How many rows are indexed, from the first row of the log on. */
  readonly indexedRows: number;
  /**
   * Does one step towards `to` indexed rows, of the `size` that are to be indexed in the end. It indexes some
   * rows, or prepares to.
   */
  indexStep(to: number, size?: number): void;
}

const STEP_ROWS_FIRST = 512;
const STEP_ROWS_MIN = 64;
const STEP_ROWS_MAX = 32_768;
const STEP_MS_MIN = 1.5;
const STEP_MS_MAX = 4;

/** Makes steps over rows that learn how many rows take a few milliseconds. */
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
 * Indexes a part up to `size` rows, in steps of a few milliseconds. Calls for the same part share the work:
 * each step continues after the last step of any call.
 */
export async function indexUpTo(part: DerivedPart, size: number, pacer: Pacer): Promise<void> {
  const step = createStep(pacer);
  while (part.indexedRows < size) {
    await step((rows) => part.indexStep(Math.min(size, part.indexedRows + rows), size));
    pacer.note?.({ indexed: part.indexedRows, of: size });
  }
}

/** A part of the index whose whole segments are stored. */
interface StoredPart extends DerivedPart {
  save(pacer: Pacer): Promise<boolean>;
}

/** The same for a part whose whole segments are stored with it. */
export async function indexAndSave(part: StoredPart, size: number, pacer: Pacer): Promise<void> {
  if (part.indexedRows >= size) return;
  await indexUpTo(part, size, pacer);
  await part.save(pacer);
}

/** A pacer for a part that ends with its question: another question would not find what is indexed of it. */
export function forOneQuestion(pacer: Pacer): Pacer {
  return { now: () => pacer.now(), yieldIfDue: () => pacer.yieldIfDue() };
}
