import type { StoredEvent } from '../../../src/store-kit.ts';

/** The formats of an export, and whether an interrupted one can be resumed after its last event. */
export const RESUMABLE = { ndjson: true, csv: false, parquet: false } as const;

export type Format = keyof typeof RESUMABLE;

/** Writes a chunk, and resolves when the reader has taken it. */
export type Put = (piece: string | Uint8Array) => Promise<void>;

/** Writes events in one format. */
export interface EventWriter {
  write(events: readonly StoredEvent[]): Promise<void>;
  /** Writes buffered events and whatever the format needs after the last one. */
  end(): Promise<void>;
}
