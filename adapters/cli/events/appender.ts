import type { ApiError, EventInput, IngestReport } from '../../../src/index.ts';

/** What a command wants while a batch is stored. */
export interface Storing {
  /** Aborted when the user asks the command to end. */
  readonly ending: AbortSignal;
  /** Tells the user something on stderr. */
  say(line: string): void;
}

/** How a command stores events. */
export interface AppenderOptions {
  /** Whether each batch is only judged, and nothing is stored. Default false. */
  readonly dryRun?: boolean | undefined;
}

/**
 * Stores events of one tenant, in this machine's backends or over HTTP at a server. A command asks this and
 * does not know which, and reports are the same either way.
 */
export interface EventAppender {
  /** Stores a batch. An ApiError stands for an event that could not be read; it is reported as refused. */
  append(batch: readonly (EventInput | ApiError)[], storing: Storing): Promise<IngestReport>;
}
