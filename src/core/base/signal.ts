/** How far the index of a question is built. What is built stays when the client stops waiting. */
export interface IndexProgress {
  /** How many events are in it. */
  readonly indexed: number;
  /** How many will be. */
  readonly of: number;
}

/** Says whether the result of some work is still wanted. An `AbortSignal` is one. */
export interface Signal {
  /** True once the result is no longer wanted; it stays true. The work then soon throws `aborted()`. */
  readonly aborted: boolean;
  /** Why it is no longer wanted, as an `AbortSignal` says it: what a call in process then rejects with. */
  readonly reason?: unknown;
  /** Takes how far the index is, again and again while it is built; an `AbortSignal` has no such method. */
  readonly note?: (progress: IndexProgress) => void;
}
