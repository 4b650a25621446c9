/** Says whether the result of some work is still wanted. An `AbortSignal` is one. */
export interface Signal {
  /** True once the result is no longer wanted; it stays true. The work then soon throws `aborted()`. */
  readonly aborted: boolean;
  /** Why it is no longer wanted, as an `AbortSignal` says it: what a call in process then rejects with. */
  readonly reason?: unknown;
}
