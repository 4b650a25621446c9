/** How long a request may wait for the server: time in which its caller is busy does not count. */
export interface Deadline {
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
export function createDeadline(ms: number, signal: AbortSignal | undefined): Deadline {
  const own = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline: Deadline = {
    signal: signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]),
    isOver: () => own.signal.aborted,
    wait() {
      deadline.rest();
      timer = setTimeout(() => own.abort(), ms);
    },
    rest: () => clearTimeout(timer),
  };
  deadline.wait();
  return deadline;
}
