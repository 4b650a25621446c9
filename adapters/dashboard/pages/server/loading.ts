import { useLayoutEffect, useState } from 'preact/hooks';
import { isAbort, messageOf } from './api.ts';

/** What is known of an answer that was asked for. */
export interface Loaded<T> {
  /** The answer, or the one before while the next is on its way. */
  readonly value: T | undefined;
  readonly error: string | undefined;
  readonly loading: boolean;
}

/**
 * Asks again whenever one of `about` changes, and lets go of what nobody waits for any more. `again` asks
 * once more for the same.
 */
export function useAnswer<T>(
  load: (signal: AbortSignal) => Promise<T>,
  about: readonly unknown[],
): Loaded<T> & { readonly again: () => void } {
  const [state, setState] = useState<Loaded<T>>({ value: undefined, error: undefined, loading: true });
  const [times, setTimes] = useState(0);
  // It is asked before the page is painted, not after: a frame is as long as many an answer.
  useLayoutEffect(() => {
    const controller = new AbortController();
    setState(({ value }) => ({ value, error: undefined, loading: true }));
    load(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ value, error: undefined, loading: false });
      },
      (error: unknown) => {
        if (controller.signal.aborted || isAbort(error)) return;
        setState({ value: undefined, error: messageOf(error), loading: false });
      },
    );
    return () => controller.abort();
  }, [...about, times]);
  return { ...state, again: () => setTimes(times + 1) };
}
