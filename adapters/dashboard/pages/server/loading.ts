import { computed, signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { AnswerError, isAbort, messageOf, session } from './api.ts';

/** What is known of an answer that was asked for. */
export interface Loaded<T> {
  /** The answer, or the one before while the next is on its way. */
  readonly value: T | undefined;
  readonly error: string | undefined;
  readonly loading: boolean;
  /** Whether the answer is one to another question than the one that is asked now: it is not true of this. */
  readonly isOld: boolean;
}

/**
 * Asks again whenever one of `about` changes, and lets go of what nobody waits for any more. `again` asks
 * once more for the same, as the browser does by itself when it has a network again after a failure.
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
  const subject = useMemo(() => ({}), about);
  const question = useMemo(() => ({}), [subject, times]);
  // It is asked before the page is painted, not after: a frame is as long as many an answer.
  useLayoutEffect(() => {
    const controller = new AbortController();
    const end = isAside ? () => undefined : wait();
    load(controller.signal).then(
      (value) => {
        end();
        if (!controller.signal.aborted) setState({ value, error: undefined, question, subject });
      },
      (error: unknown) => {
        end();
        if (controller.signal.aborted || isAbort(error) || isEnding(error)) return;
        setState({ value: undefined, error: messageOf(error), question, subject });
      },
    );
    return () => controller.abort();
  }, [question]);
  const loading = state.question !== question;
  const { value } = state;
  const error = loading ? undefined : state.error;
  const again = () => setTimes(times + 1);
  useLayoutEffect(() => {
    if (error === undefined) return;
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [error, times]);
  return { value, error, loading, isOld: value !== undefined && state.subject !== subject, again };
}

/** Whether an answer says no more than that the session has ended, which the page says once for all of it. */
const isEnding = (error: unknown) =>
  error instanceof AnswerError && error.status === 401 && session.value === 'ended';

/** The last answer, and which question it is to. */
interface Answered<T> extends Pick<Loaded<T>, 'value' | 'error'> {
  readonly question: object | undefined;
  /** What the question was about, which asking once more does not change. */
  readonly subject: object | undefined;
}
const NOTHING = { value: undefined, error: undefined, question: undefined, subject: undefined };

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
