/** How long a request may wait for the server: time in which its caller is busy does not count. */
export interface Patience {
  /** Ends the request: with the caller's own signal, or when the server took too long. */
  readonly signal: AbortSignal;
  /** Whether it was the server that took too long. */
  isOver(): boolean;
  /** Begins to wait, for as long as before. */
  wait(): void;
  /** Waits no longer. */
  rest(): void;
}

/** Begins to wait for so many milliseconds. */
export function createPatience(ms: number, signal: AbortSignal | undefined): Patience {
  const own = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience: Patience = {
    signal: signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]),
    isOver: () => own.signal.aborted,
    wait() {
      patience.rest();
      timer = setTimeout(() => own.abort(), ms);
    },
    rest: () => clearTimeout(timer),
  };
  patience.wait();
  return patience;
}
