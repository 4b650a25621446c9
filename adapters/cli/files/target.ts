import type { EventQuery, Includable } from '../../../src/store-kit.ts';
import type { Format } from '../formats/format.ts';

/** The output of an export. */
export interface ExportSink {
  /** Resolves when the chunk is written; rejects when the reader has gone. */
  write(piece: string | Uint8Array): Promise<void>;
  /** Call it when everything is written: a file gets its final name. */
  finish(): void;
  close(): Promise<void>;
}

/** What is exported, and the cursor to start from. */
export interface ExportJob {
  readonly tenantId: string;
  readonly query: EventQuery;
  /** The optional fields of events in this file. */
  readonly include: readonly Includable[];
  readonly format: Format;
  readonly cursor: string | undefined;
}
