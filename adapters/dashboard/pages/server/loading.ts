import { computed, effect, signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { AnswerError } from './answer-error.ts';
import { isNetwork, messageOf, session } from './api.ts';
import { afterFailure, NOTHING, type AnswerState } from './answered.ts';
import { askOnce } from './asking.ts';
import { noteFailure, retried } from './failures.ts';
import { recoveries } from './reach.ts';

/** The state of a requested answer. */
export interface Loaded<T> {
  /** The answer, or the previous one while the next is loading. */
  readonly value: T | undefined;
  readonly error: string | undefined;
  readonly loading: boolean;
  /** Whether the answer belongs to an earlier question, and so is not true of the current one. */
  readonly isOld: boolean;
}

/**
 * Loads an answer, again whenever one of `about` changes, and aborts requests that are no longer needed.
 * `again` repeats the request. This also happens by itself when the server can be reached again. A change
 * of `since` repeats it too; the answer before stays true of its own instant, so it does not become old, and
 * stays where the server cannot answer. The top of the page then says of when it is.
 */
export function useAnswer<T>(
  load: (signal: AbortSignal) => Promise<T>,
  about: readonly unknown[],
  { isAside = false, since }: AnswerOptions = {},
): Loaded<T> & { readonly again: () => void } {
  const [state, setState] = useState<AnswerState<T>>(NOTHING);
  const [times, setTimes] = useState(0);
  // Comparing subjects shows whether the answer fits the question. A state for that would cost each component
  // one more render.
  const subject = useMemo(() => ({}), about);
  const question = useMemo(() => ({}), [subject, times, since]);
  // The request starts before the paint, not after it: a frame takes as long as many answers do.
  useLayoutEffect(() => {
    return askOnce(load, {
      onEnd: isAside ? () => undefined : wait(),
      onAnswer: (value) => setState({ ...NOTHING, value, question, subject, asOf: since ?? Date.now() }),
      onError: (error) => {
        if (isEnding(error)) return;
        const lostAt = isNetwork(error) ? recoveries.peek() : undefined;
        const failed = { error: messageOf(error), isPassing: isPassing(error), lostAt, question, subject };
        setState((before) => afterFailure(before, failed));
      },
    });
  }, [question]);
  const loading = state.question !== question;
  const { value } = state;
  const error = loading ? undefined : state.error;
  // A lapse stays while the question is asked again.
  const lapse = state.subject === subject ? state.lapse : undefined;
  const failure = error ?? lapse;
  const again = () => setTimes(times + 1);
  useLayoutEffect(() => {
    if (failure === undefined) return;
    const { lostAt, asOf } = state;
    const forget = noteFailure({ error: failure, again, asOf: lapse === undefined ? undefined : asOf });
    const stop =
      loading || lostAt === undefined ? undefined : recoveries.subscribe((now) => now > lostAt && again());
    return () => {
      forget();
      stop?.();
    };
  }, [failure, loading, times]);
  return { value, error, loading, isOld: value !== undefined && state.subject !== subject, again };
}

interface AnswerOptions {
  /** Whether it is for content out of sight. */
  readonly isAside?: boolean;
  /** The instant of the question. */
  readonly since?: number;
}

/** Whether an error only means that the session has ended, which the page shows in one place. */
const isEnding = (error: unknown) =>
  error instanceof AnswerError && error.status === 401 && session.value === 'ended';

/** Whether the same question may be answered later: no answer came, or the server could not give one. */
const isPassing = (error: unknown) =>
  isNetwork(error) || (error instanceof AnswerError && (error.status >= 500 || error.status === 429));

/** How many visible answers are loading. */
const awaited = signal(0);
/** Whether no visible answer is loading. */
export const isQuiet = computed(() => awaited.value === 0);
// The answers to what the user asked again are there, and in a moment the page shows them.
effect(() => {
  if (isQuiet.value) setTimeout(() => (retried.value = isQuiet.peek() ? undefined : retried.peek()));
});

/** Counts an answer that is loading; returns a function that ends this. */
function wait(): () => void {
  awaited.value += 1;
  return () => void (awaited.value -= 1);
}

/** How long content below the first screen waits for other answers, at most, in milliseconds. */
const BELOW_MS = 300;

/**
 * Whether to render content below the first screen: the screen was painted, and other answers have arrived.
 */
export function useBelow(shown: unknown): boolean {
  const [painted, setPainted] = useState<unknown>();
  const delay = isQuiet.value ? 0 : BELOW_MS;
  useLayoutEffect(() => {
    let task: ReturnType<typeof setTimeout> | undefined;
    // A frame has been painted when the tasks after its callbacks run.
    const frame = requestAnimationFrame(() => (task = setTimeout(() => setPainted(shown), delay)));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(task);
    };
  }, [shown, delay]);
  return painted === shown;
}
