import type { ExitCode } from '../process/errors.ts';
import type { Listening } from './listening.ts';
import type { MetricsMessage } from './worker-metrics.ts';

/** How often a worker sends a heartbeat. */
export const HEARTBEAT_MS = 5_000;

/**
 * A message from a worker to the primary process: where it listens, why it failed, a heartbeat, metrics, how
 * many requests it has answered when it ends.
 */
export type WorkerMessage =
  | Listening
  | { readonly failed: string; readonly exitCode: ExitCode }
  | 'alive'
  | MetricsMessage
  | { readonly requests: number };

/** An order to a worker to close: after draining, at once, or because another worker has replaced it. */
export type WorkerOrder = 'drain' | 'end' | 'give way';
