import { computed, signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
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
  { isAside = false }: { /** Whether it is for what nobody looks at. */ readonly isAside?: boolean } = {},
): Loaded<T> & { readonly again: () => void } {
  const [state, setState] = useState<Answered<T>>(NOTHING);
  const [times, setTimes] = useState(0);
  // Whether the answer is one to this question is seen without a state of its own, which would be one more
  // render of each that asks.
  const question = useMemo(() => ({}), [...about, times]);
  // It is asked before the page is painted, not after: a frame is as long as many an answer.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const end = isAside ? () => undefined : wait();
    load(controller.signal).then(
      (value) => {
        end();
        if (!controller.signal.aborted) setState({ value, error: undefined, question });
      },
      (error: unknown) => {
        end();
        if (controller.signal.aborted || isAbort(error)) return;
        setState({ value: undefined, error: messageOf(error), question });
      },
    );
    return () => controller.abort();
  }, [question]);
  const loading = state.question !== question;
  const { value, error } = state;
  return { value, error: loading ? undefined : error, loading, again: () => setTimes(times + 1) };
}

/** The last answer, and which question it is to. */
interface Answered<T> extends Pick<Loaded<T>, 'value' | 'error'> {
  readonly question: object | undefined;
}
const NOTHING = { value: undefined, error: undefined, question: undefined };

/** How many answers somebody looks for. */
const awaited = signal(0);
const isQuiet = computed(() => awaited.value === 0);

/** Notes that an answer is awaited; gives what notes its end. */
function wait(): () => void {
  awaited.value += 1;
  return () => void (awaited.value -= 1);
}

/** How long what is below a screen waits for other answers, at most. */
const BELOW_MS = 300;

/** Whether it is time for what is below a screen: what stands on it was painted, and other answers came. */
export function useBelow(shown: unknown): boolean {
  const [painted, setPainted] = useState<unknown>();
  const delay = isQuiet.value ? 0 : BELOW_MS;
  useLayoutEffect(() => {
    let task: ReturnType<typeof setTimeout> | undefined;
    // A frame is painted when the tasks behind its callbacks run.
    const frame = requestAnimationFrame(() => (task = setTimeout(() => setPainted(shown), delay)));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(task);
    };
  }, [shown, delay]);
  return painted === shown;
}
