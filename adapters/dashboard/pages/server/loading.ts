import { computed, effect, signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { AnswerError } from './answer-error.ts';
import { isNetwork, messageOf, session } from './api.ts';
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
 * of `since` repeats it too; the answer before stays true of its own instant, so it does not become old.
 */
export function useAnswer<T>(
  load: (signal: AbortSignal) => Promise<T>,
  about: readonly unknown[],
  { isAside = false, since }: AnswerOptions = {},
): Loaded<T> & { readonly again: () => void } {
  const [state, setState] = useState<Answered<T>>(NOTHING);
  const [times, setTimes] = useState(0);
  // Comparing subjects shows whether the answer fits the question. A state for that would cost each component
  // one more render.
  const subject = useMemo(() => ({}), about);
  const question = useMemo(() => ({}), [subject, times, since]);
  // The request starts before the paint, not after it: a frame takes as long as many answers do.
  useLayoutEffect(() => {
    return askOnce(load, {
      onEnd: isAside ? () => undefined : wait(),
      onAnswer: (value) => setState({ value, error: undefined, question, subject }),
      onError: (error) => {
        if (isEnding(error)) return;
        const lostAt = isNetwork(error) ? recoveries.peek() : undefined;
        setState({ value: undefined, error: messageOf(error), question, subject, lostAt });
      },
    });
  }, [question]);
  const loading = state.question !== question;
  const { value } = state;
  const error = loading ? undefined : state.error;
  const again = () => setTimes(times + 1);
  useLayoutEffect(() => {
    if (error === undefined) return;
    const forget = noteFailure({ error, again });
    const { lostAt } = state;
    const stop = lostAt === undefined ? undefined : recoveries.subscribe((now) => now > lostAt && again());
    return () => {
      forget();
      stop?.();
    };
  }, [error, times]);
  return { value, error, loading, isOld: value !== undefined && state.subject !== subject, again };
}

/**
 * Gives what several questions of a page need, and asks for it once. A change of one of `about` forgets it.
 * An error is not kept.
 */
export function useOnce<T>(
  load: (signal: AbortSignal) => Promise<T>,
  about: readonly unknown[],
): () => Promise<T> {
  const once = useMemo(() => {
    const controller = new AbortController();
    let answer: Promise<T> | undefined;
    const forget = (error: unknown) => {
      answer = undefined;
      throw error;
    };
    return { controller, get: () => (answer ??= load(controller.signal).catch(forget)) };
  }, about);
  useLayoutEffect(() => () => once.controller.abort(), [once]);
  return once.get;
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

/** The last answer, and the question to which it belongs. */
interface Answered<T> extends Pick<Loaded<T>, 'value' | 'error'> {
  readonly question: object | undefined;
  /** The subject of the question. Repeating the request does not change it. */
  readonly subject: object | undefined;
  /** The number of recoveries when the server could not be reached; undefined if it answered. */
  readonly lostAt?: number | undefined;
}
const NOTHING = { value: undefined, error: undefined, question: undefined, subject: undefined };

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
