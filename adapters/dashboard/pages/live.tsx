import { useEffect, useRef, useState } from 'preact/hooks';
import type { CountBody } from '../../../src/index.ts';
import type { Event } from './server/answers.ts';
import { isAbort, messageOf, send, AnswerError } from './server/api.ts';
import { FilterBar } from './explore/filter/filter-bar.tsx';
import { useSeenPaths } from './explore/seen-paths.ts';
import { bodyOf } from './explore/state.ts';
import { EventTable } from './explore/event-table.tsx';
import { sendCurl } from './ingestion/sending.tsx';
import { Code } from './parts/copy.tsx';
import { Empty, Notice, PageHead } from './parts/text.tsx';
import { linkTo, place } from './place.ts';
import type { TenantPageProps } from './tenant-page.ts';

/** How many are kept: what came before goes. */
const KEPT_MAX = 500;
const RETRY_MS = 3000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Events as they arrive, late ones too: the order is that of their arrival. */
export function LivePage({ tenant }: TenantPageProps) {
  const { alias } = tenant;
  const [shown, setShown] = useState<readonly Event[]>([]);
  const [waiting, setWaiting] = useState<readonly Event[]>([]);
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  // An event of a new name has paths of its own: what can be asked for is asked anew.
  const seenPaths = useSeenPaths(alias, names.size);
  const [paused, setPaused] = useState(false);
  const [error, setError] = useState<string>();
  const pausedNow = useRef(false);
  pausedNow.current = paused;
  const body = bodyOf(place.value.parameters);
  const about = JSON.stringify(body);

  useEffect(() => {
    setShown([]);
    setWaiting([]);
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
      onState: setError,
    });
    return follow.stop;
  }, [alias, about]);

  const resume = () => {
    setShown([...waiting, ...shown].slice(0, KEPT_MAX));
    setWaiting([]);
    setPaused(false);
  };
  return (
    <>
      <PageHead
        title="Live"
        lead={`Events in the order in which they arrive, the last ${KEPT_MAX}. Late ones are not missed.`}
      >
        {paused ? (
          <button type="button" class="primary" onClick={resume}>
            Go on
            {waiting.length === 0 ? '' : ` (${waiting.length}${waiting.length === KEPT_MAX ? '+' : ''} wait)`}
          </button>
        ) : (
          <button type="button" onClick={() => setPaused(true)}>
            Pause
          </button>
        )}
      </PageHead>
      <FilterBar seenPaths={seenPaths} withoutDates />
      {error !== undefined && <Notice kind="error">{error}</Notice>}
      <p class="live-state" aria-live="polite">
        <span class={paused ? 'dot paused' : 'dot'} aria-hidden="true" />
        {paused ? 'Paused.' : 'Listening.'} {shown.length} shown.
      </p>
      {shown.length === 0 ? (
        <Empty title="Nothing has arrived since you came here">
          Send an event, and it stands here within a second.{' '}
          <a href={linkTo('ingestion', alias)}>Ingestion has more ways.</a>
          <Code text={sendCurl(tenant)} label="curl" />
        </Empty>
      ) : (
        <EventTable events={shown} />
      )}
    </>
  );
}

interface Following {
  readonly onEvents: (events: readonly Event[]) => void;
  /** Told why nothing comes, or that it goes on. */
  readonly onState: (error: string | undefined) => void;
}

/**
 * Asks for what arrives, again and again while the page is seen; a page that is hidden goes on where it
 * was.
 */
function followTail(alias: string, body: CountBody, { onEvents, onState }: Following) {
  const controller = new AbortController();
  const { signal } = controller;
  const run = async () => {
    let position: string | undefined;
    while (!signal.aborted) {
      if (document.hidden) {
        await sleep(250);
        continue;
      }
      try {
        // The first answer says at once where this goes on: nothing that arrives behind it is missed.
        const headers: Record<string, string> =
          position === undefined ? { Prefer: 'wait=0' } : { 'X-Tail-Position': position };
        const answer = await send(`query/tail/${alias}`, body, { signal, headers });
        const events = (await answer.json()) as Event[];
        position = answer.headers.get('X-Tail-Position') ?? undefined;
        onState(undefined);
        if (events.length > 0) onEvents(events);
      } catch (failed) {
        if (isAbort(failed)) return;
        onState(messageOf(failed));
        // Who is not signed in any more, or asks what is not understood, asks no further.
        if (failed instanceof AnswerError && failed.status < 500 && failed.status !== 429) return;
        await sleep(RETRY_MS);
      }
    }
  };
  void run();
  return { stop: () => controller.abort() };
}
