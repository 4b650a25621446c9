/** A timeout for the server only: time in which the caller is busy does not count. */
export interface Deadline {
  /** Aborts the request, when the caller's own signal aborts or the server takes too long. */
  readonly signal: AbortSignal;
  /** Whether the server took too long. */
  isOver(): boolean;
  /** Starts the timer again, with the full time. */
  wait(): void;
  /** Stops the timer. */
  rest(): void;
}

/** Makes a deadline of `ms` milliseconds and starts its timer. */
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
