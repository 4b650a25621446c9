import { useEffect, useRef, useState } from 'preact/hooks';
import type { CountBody, Event } from '../../../src/index.ts';
import { AnswerError } from './server/answer-error.ts';
import { isAbort } from './server/aborted.ts';
import { messageOf, send } from './server/api.ts';
import { FilterBar } from './explore/filter/filter-bar.tsx';
import { useSeenPaths } from './explore/filter/seen-paths.ts';
import { noteFailure } from './server/failures.ts';
import { bodyOf } from './address/question.ts';
import { EventTable } from './explore/event-table.tsx';
import { sendCurl } from './ingestion/sending.tsx';
import { Code } from './parts/copy.tsx';
import { useFirst } from './parts/first.tsx';
import { Empty, PageHead, Refusal } from './parts/text.tsx';
import { linkTo } from './address/address.ts';
import { place } from './address/place.ts';
import type { TenantPageProps } from './parts/tenant-page.ts';

/** How many events the page keeps. It drops older ones. */
const KEPT_MAX = 500;
const RETRY_MS = 3000;
/**
 * How many windows of a browser may wait for an answer at once. A browser has six connections to a server.
 */
const WAITING_MAX = 3;
/** How long, in milliseconds, a window without a long wait pauses between two requests. */
const TURN_MS = 2000;

/** The state of the live connection. */
type State = 'connecting' | 'listening' | 'lost';
const WORDS: Readonly<Record<State, string>> = {
  connecting: 'Connecting…',
  listening: 'Listening.',
  lost: 'Not connected.',
};

const HEAD = {
  title: 'Live',
  lead: `Events in order of arrival, late ones included. Shows the last ${KEPT_MAX}.`,
};

/** Events in the order of their arrival, late ones included. */
export function LivePage({ tenant }: TenantPageProps) {
  const { alias } = tenant;
  const [shown, setShown] = useState<readonly Event[]>([]);
  const [waiting, setWaiting] = useState<readonly Event[]>([]);
  const { shown: drawn, more } = useFirst(shown, 'events');
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  // An event with a new name has its own paths, so the paths load again.
  const seenPaths = useSeenPaths(alias, names.size);
  const [paused, setPaused] = useState(false);
  const [{ state, error }, setState] = useState<LiveStatus>({ state: 'connecting' });
  const retry = useRef<() => void>(() => undefined);
  useEffect(
    () =>
      error === undefined ? undefined : noteFailure({ error, again: () => retry.current(), asOf: undefined }),
    [error],
  );
  const pausedNow = useRef(false);
  pausedNow.current = paused;
  const body = bodyOf(place.value.parameters);
  const about = JSON.stringify(body);

  useEffect(() => {
    setShown([]);
    setWaiting([]);
    setState({ state: 'connecting' });
    const follow = followTail(alias, body, {
      onEvents: (events) => {
        const add = (before: readonly Event[]) => [...events.toReversed(), ...before].slice(0, KEPT_MAX);
        if (pausedNow.current) setWaiting(add);
        else setShown(add);
        setNames((before) => {
          const more = events.map(({ eventName }) => eventName).filter((name) => !before.has(name));
          return more.length === 0 ? before : new Set([...before, ...more]);
        });
      },
      onState: setState,
    });
    retry.current = follow.retry;
    return follow.stop;
  }, [alias, about]);

  const resume = () => {
    setShown([...waiting, ...shown].slice(0, KEPT_MAX));
    setWaiting([]);
    setPaused(false);
  };
  const pauseAt = (target: EventTarget | null) => {
    if (target instanceof Element && target.closest('.opener[aria-expanded=false]') !== null) setPaused(true);
  };
  return (
    <>
      <PageHead {...HEAD}>
        {paused ? (
          <button type="button" class="primary" onClick={resume}>
            Resume{' '}
            {waiting.length === 0
              ? ''
              : ` (${waiting.length}${waiting.length === KEPT_MAX ? '+' : ''} waiting)`}
          </button>
        ) : (
          <button type="button" onClick={() => setPaused(true)}>
            Pause
          </button>
        )}
      </PageHead>
      <FilterBar asked={{ body, subject: about, since: 0 }} seenPaths={seenPaths} isTold={state === 'lost'} />
      {error !== undefined && <Refusal error={error} again={() => retry.current()} />}
      <p class="live-state" aria-live="polite">
        <span class={paused && state !== 'lost' ? 'dot paused' : `dot ${state}`} aria-hidden="true" />
        {paused && state !== 'lost' ? 'Paused.' : WORDS[state]} {shown.length} shown.
      </p>
      {shown.length === 0 ? (
        <Empty title="No events have arrived since you opened this page">
          Send an event, and it will appear here within a second.{' '}
          <a href={linkTo('authentication', alias)}>See Authentication for other ways.</a>
          <Code text={sendCurl(tenant)} label="curl" />
        </Empty>
      ) : (
        // What is read does not move away: an opened row pauses.
        <section aria-label="Events as they arrive" onClickCapture={({ target }) => pauseAt(target)}>
          <EventTable events={drawn} />
          {more}
        </section>
      )}
    </>
  );
}

/** The state of the live events, and why none arrive. */
interface LiveStatus {
  readonly state: State;
  readonly error?: string;
}

interface Following {
  readonly onEvents: (events: readonly Event[]) => void;
  readonly onState: (told: LiveStatus) => void;
}

/**
 * Requests new events repeatedly while the page is visible. After the page was hidden or had no network, it
 * continues where it stopped.
 */
function followTail(alias: string, body: CountBody, { onEvents, onState }: Following) {
  const end = new AbortController();
  /** Aborts the pending request once the page is hidden or has no network. */
  let asked = new AbortController();
  /** Ends a pause between two requests. */
  let wake = (): void => undefined;
  const rest = (ms?: number) =>
    new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const look = () => (document.hidden ? asked.abort() : wake());
  // A connection does not report a lost network until its answer is due.
  const doubt = () => asked.abort();
  document.addEventListener('visibilitychange', look);
  addEventListener('online', look);
  addEventListener('offline', doubt);

  let position: string | undefined;
  const askOnce = async (waits: boolean) => {
    // The page may have been hidden while it waited for a slot, when there was no request to abort.
    if (document.hidden) return;
    const headers = {
      ...(waits ? {} : { Prefer: 'wait=0' }),
      ...(position === undefined ? {} : { 'X-Tail-Position': position }),
    };
    asked = new AbortController();
    const signal = AbortSignal.any([end.signal, asked.signal]);
    const answer = await send(
      `query/tail/${alias}`,
      { ...body, include: ['receivedAt'] },
      { signal, headers },
    );
    const events = (await answer.json()) as Event[];
    position = answer.headers.get('X-Tail-Position') ?? undefined;
    onState({ state: 'listening' });
    if (events.length > 0) onEvents(events);
  };
  const run = async () => {
    // The first request, and the first after a failure, does not wait: its answer confirms the connection.
    let isSure = false;
    while (!end.signal.aborted) {
      if (document.hidden) {
        await rest(RETRY_MS);
        continue;
      }
      try {
        if (isSure) await inTurn(askOnce, rest);
        else await askOnce(false);
        isSure = true;
      } catch (failed) {
        isSure = false;
        if (isAbort(failed)) continue;
        onState({ state: 'lost', error: messageOf(failed) });
        // An ended session or an invalid request would fail again, so the loop waits for the user.
        const isFinal = failed instanceof AnswerError && failed.status < 500 && failed.status !== 429;
        await rest(isFinal ? undefined : RETRY_MS);
      }
    }
  };
  void run();
  return {
    /** Asks at once, after a failure. */
    retry: () => wake(),
    stop: () => {
      end.abort();
      wake();
      document.removeEventListener('visibilitychange', look);
      removeEventListener('online', look);
      removeEventListener('offline', doubt);
    },
  };
}

/**
 * Sends a long-polling request if one of the browser's `WAITING_MAX` slots is free. Otherwise, it sends one
 * that does not wait, and then pauses. All windows of a browser share its connections to a server.
 */
async function inTurn(ask: (waits: boolean) => Promise<void>, rest: (ms: number) => Promise<void>) {
  for (let i = 0; i < WAITING_MAX; i++) {
    const isFree = await navigator.locks.request(
      `event-query-live-${i}`,
      { ifAvailable: true },
      async (lock) => {
        if (lock !== null) await ask(true);
        return lock !== null;
      },
    );
    if (isFree) return;
  }
  await ask(false);
  await rest(TURN_MS);
}
