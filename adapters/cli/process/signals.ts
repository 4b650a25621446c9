const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The signals that ask this process to end. */
export interface Signals {
  /** Resolves to the first signal that arrives. */
  readonly received: Promise<NodeJS.Signals>;
  /** Aborted by the first signal; its reason is an Error "interrupted". */
  readonly aborted: AbortSignal;
  /** Whether a signal has arrived. */
  came(): boolean;
  /** Stops listening: Node handles signals again. */
  forget(): void;
}

/**
 * Listens for SIGINT and SIGTERM, so that work can end cleanly; a second one ends the process at once.
 */
export function listenForSignals(): Signals {
  let count = 0;
  const abort = new AbortController();
  let resolve: (signal: NodeJS.Signals) => void = () => undefined;
  const received = new Promise<NodeJS.Signals>((resolver) => {
    resolve = resolver;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    count += 1;
    resolve(signal);
    abort.abort(new Error('interrupted'));
    if (count === 1) return;
    // Let the system end the process: Node would wait for pending writes, even if they are never read.
    forget();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const forget = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  return { received, aborted: abort.signal, came: () => count > 0, forget };
}
