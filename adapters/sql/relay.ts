import { aborted } from '../../src/index.ts';

/** A value that some work has told and that nobody has taken yet. */
interface HandedOver<T> {
  readonly value: T;
  /** Lets the work go on. */
  readonly proceed: () => void;
  /** Ends the work. */
  readonly stop: (reason: Error) => void;
}

/**
 * Yields the values that some work tells one by one. `tell` resolves when the next value is asked for, so the
 * work is never ahead of its reader; it rejects when the reader wants no more. The iteration ends after the
 * work has, and throws what it throws.
 */
export async function* relay<T>(
  work: (tell: (value: T) => Promise<void>) => Promise<void>,
): AsyncGenerator<T, void> {
  let handOver: (told: HandedOver<T>) => void = () => undefined;
  const nextTold = () => new Promise<HandedOver<T>>((resolve) => (handOver = resolve));
  let next = nextTold();
  const working = work((value) => new Promise<void>((proceed, stop) => handOver({ value, proceed, stop })));
  // Whoever waits for the next value sees it; until then it is no rejection that nobody handles.
  const ended = working.then(() => undefined);
  ended.catch(() => undefined);
  let told: HandedOver<T> | undefined;
  try {
    while ((told = await Promise.race([next, ended])) !== undefined) {
      next = nextTold();
      yield told.value;
      told.proceed();
    }
  } finally {
    // As work whose client has left: a connection is in order after that, and is lent again.
    told?.stop(aborted());
    await working.catch(() => undefined);
  }
}
