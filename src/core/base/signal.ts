/** Whether anybody still waits for the result of some work: an `AbortSignal` fits. */
export interface Signal {
  /** Once it is true it stays true, and whoever works for it throws `aborted()` soon. */
  readonly aborted: boolean;
}
