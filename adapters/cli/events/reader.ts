import type { QueryBody, TenantQuestions, TopBody } from '../../../src/index.ts';
import type { ExportBody, StoredEvent, TailBody } from '../../../src/store-kit.ts';

/** A page of events as commands print it. */
export interface ReadPage {
  readonly events: readonly StoredEvent[];
  /** The cursor of the next page; undefined on the last one. */
  readonly nextCursor: string | undefined;
}

/** The questions whose answers commands print as they are. */
type AskedAsIs =
  | 'count'
  | 'eventNames'
  | 'properties'
  | 'breakdown'
  | 'sequence'
  | 'retention'
  | 'userPage'
  | 'compare'
  | 'explain';

/**
 * Reads the events of one tenant, on this machine's backends or over HTTP from a server. A command asks this
 * and does not know which. Events come as stores keep them, so that a local export parses no properties.
 */
export interface EventReader extends Pick<TenantQuestions<AbortSignal>, AskedAsIs> {
  /** Whether a further question costs the user nothing; a server counts each against the limits of a key. */
  readonly isFree: boolean;
  storedPage(body: QueryBody): Promise<ReadPage>;
  /** The events that match with the first numbers at a path, in the order of these. */
  storedTop(body: TopBody): Promise<readonly StoredEvent[]>;
  /** Every event that matches, newest first, in pieces. Throws the signal's reason when it is aborted. */
  storedPieces(body: ExportBody, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]>;
  /** The events that match as they arrive, until the signal is aborted. */
  storedArrivals(body: TailBody, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]>;
}
