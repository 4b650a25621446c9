import type { ExitCode } from '../errors.ts';
import type { Listening } from './listening.ts';

/** How often a worker says that it is alive. */
export const HEARTBEAT_MS = 5_000;

/** What a worker tells the process that started it: that it listens, why it does not, or that it is alive. */
export type WorkerMessage = Listening | { readonly failed: string; readonly exitCode: ExitCode } | 'alive';

/** What a worker is told: to close, at once, when it has drained, or because another has taken its place. */
export type WorkerOrder = 'drain' | 'end' | 'give way';
