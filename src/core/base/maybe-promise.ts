/**
 * A value, or a promise of it. Most questions are answered from memory at once, and a promise at each step
 * would take as long as the answer itself.
 */
export type MaybePromise<T> = T | Promise<T>;

/** As `then` of a promise, but runs at once if the value is already there. */
export function thenDo<T, R>(answer: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}

/** As `finally` of a promise, for work that may end at once. */
export function finallyDo<T>(work: () => MaybePromise<T>, end: () => void): MaybePromise<T> {
  let answer: MaybePromise<T>;
  try {
    answer = work();
  } catch (error) {
    end();
    throw error;
  }
  if (answer instanceof Promise) return answer.finally(end);
  end();
  return answer;
}

/** As `catch` of a promise, for work that may fail at once. */
export function catchDo<T>(
  work: () => MaybePromise<T>,
  handle: (error: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  let answer: MaybePromise<T>;
  try {
    answer = work();
  } catch (error) {
    return handle(error);
  }
  return answer instanceof Promise ? answer.catch(handle) : answer;
}
