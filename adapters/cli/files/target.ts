import type { EventQuery } from '../../../src/index.ts';

/** Where an export goes. */
export interface Target {
  /** Resolves when the text is taken, or rejects when nobody takes it any more. */
  write(text: string): Promise<void>;
  /** Everything was written: a file takes its name. */
  finish(): void;
  close(): Promise<void>;
}

/** What is exported, from where on. */
export interface Job {
  readonly tenantId: string;
  readonly query: EventQuery;
  readonly cursor: string | undefined;
}
