const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** The wish of somebody outside that this process ends. */
export interface Signals {
  /** Resolves to the first signal. */
  readonly received: Promise<NodeJS.Signals>;
  /** Whether one has come. */
  came(): boolean;
  /** Leaves signals to Node again. */
  forget(): void;
}

/**
 * Listens for SIGINT and SIGTERM, so that work can end in good order; a second one ends the process at once.
 */
export function listenForSignals(): Signals {
  let count = 0;
  let resolve: (signal: NodeJS.Signals) => void = () => undefined;
  const received = new Promise<NodeJS.Signals>((resolver) => {
    resolve = resolver;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    count += 1;
    resolve(signal);
    if (count === 1) return;
    // The system ends the process then: Node itself would wait for a write that nobody reads.
    forget();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const forget = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  return { received, came: () => count > 0, forget };
}
