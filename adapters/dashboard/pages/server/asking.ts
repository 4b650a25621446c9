import { isAbort } from './aborted.ts';

/** What a question is told of its answer. */
interface Telling<T> {
  readonly onAnswer: (value: T) => void;
  readonly onError: (error: unknown) => void;
  /** Called once there is an answer or an error, also a late one. */
  readonly onEnd: () => void;
}

/**
 * Asks, and returns a function that gives the question up. What comes after that is an answer to an earlier
 * question, and is told to none: a signal does not stop an answer whose body has arrived already.
 */
export function askOnce<T>(
  load: (signal: AbortSignal) => Promise<T>,
  { onAnswer, onError, onEnd }: Telling<T>,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  load(signal).then(
    (value) => {
      onEnd();
      if (!signal.aborted) onAnswer(value);
    },
    (error: unknown) => {
      onEnd();
      if (!signal.aborted && !isAbort(error)) onError(error);
    },
  );
  return () => controller.abort();
}
