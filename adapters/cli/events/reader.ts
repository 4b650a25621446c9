import type {
  Breakdown,
  BreakdownBody,
  CountBody,
  Explanation,
  Properties,
  QueryBody,
} from '../../../src/index.ts';
import type { ExportBody, StoredEvent, TailBody } from '../../../src/store-kit.ts';

/** A page of events as commands print it. */
export interface ReadPage {
  readonly events: readonly StoredEvent[];
  /** The cursor of the next page; undefined on the last one. */
  readonly nextCursor: string | undefined;
}

/**
 * Reads the events of one tenant, on this machine's backends or over HTTP from a server. A command asks this
 * and does not know which. Bodies are those of the HTTP API, and answers are the same either way.
 */
export interface EventReader {
  /** Whether a further question costs the user nothing; a server counts each against the limits of a key. */
  readonly isFree: boolean;
  query(body: QueryBody): Promise<ReadPage>;
  count(body: CountBody): Promise<number>;
  eventNames(): Promise<readonly string[]>;
  properties(options: { readonly event?: string | undefined }): Promise<Properties>;
  breakdown(body: BreakdownBody): Promise<Breakdown>;
  explain(body: QueryBody): Promise<Explanation>;
  /** Every event that matches, newest first, in pieces. Throws the signal's reason when it is aborted. */
  export(body: ExportBody, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]>;
  /** The events that match as they arrive, until the signal is aborted. */
  tail(body: TailBody, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]>;
}
