/**
 * An answer that is there already, or a promise of it. Most questions are answered from what is known, and
 * then every promise on the way would take as long as the answer.
 */
export type Soon<T> = T | Promise<T>;

/** Goes on with an answer, at once where it is there. */
export function whenThere<T, R>(answer: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}

/** Does something when some work has ended, however it did. */
export function lastly<T>(work: () => Soon<T>, end: () => void): Soon<T> {
  let answer: Soon<T>;
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

/** Handles what goes wrong in some work, whenever it does. */
export function rescue<T>(work: () => Soon<T>, handle: (error: unknown) => Soon<T>): Soon<T> {
  let answer: Soon<T>;
  try {
    answer = work();
  } catch (error) {
    return handle(error);
  }
  return answer instanceof Promise ? answer.catch(handle) : answer;
}
