import type { StoredEvent } from '../../../src/store-kit.ts';

/** How an export can be written, and whether one that was cut short can go on behind its last event. */
export const RESUMABLE = { ndjson: true, csv: false, parquet: false } as const;

export type Format = keyof typeof RESUMABLE;

/** Takes what is written, at the pace of whoever reads it. */
export type Put = (piece: string | Uint8Array) => Promise<void>;

/** Writes events in one format. */
export interface EventWriter {
  write(events: readonly StoredEvent[]): Promise<void>;
  /** Writes what was held back, and what stands behind the last event. */
  end(): Promise<void>;
}
