import type { EventQuery } from '../../../src/store-kit.ts';
import type { Format } from '../formats/format.ts';

/** Where an export goes. */
export interface ExportSink {
  /** Resolves when the piece is taken, or rejects when nobody takes it any more. */
  write(piece: string | Uint8Array): Promise<void>;
  /** Everything was written: a file takes its name. */
  finish(): void;
  close(): Promise<void>;
}

/** What is exported, from where on. */
export interface ExportJob {
  readonly tenantId: string;
  readonly query: EventQuery;
  readonly format: Format;
  readonly cursor: string | undefined;
}
