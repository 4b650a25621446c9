/** Says whether the result of some work is still wanted. An `AbortSignal` is one. */
export interface Signal {
  /** True once the result is no longer wanted; it stays true. The work then soon throws `aborted()`. */
  readonly aborted: boolean;
}
