/** A question whose answer comes when the test says so, also if it was given up. */
export interface HeldQuestion<T> {
  /** Asks. The answer is not cut off by the signal, as one whose body has arrived already. */
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly answer: (value: T) => Promise<void>;
  readonly fail: (error: unknown) => Promise<void>;
}

/** Lets all that waits for a settled promise go on. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Makes a question that is answered later, in any order with others. */
export function heldQuestion<T>(): HeldQuestion<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const answer = new Promise<T>((...ends) => ([resolve, reject] = ends));
  return {
    load: () => answer,
    answer: (value) => (resolve(value), settled()),
    fail: (error) => (reject(error), settled()),
  };
}
