import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Event, FilterEntry } from '../../../../src/index.ts';
import type { TenantAnswer } from '../../../../src/transport-kit.ts';
import { useArrivals } from '../ingestion/arrivals.ts';
import { SendingWays } from '../ingestion/sending.tsx';
import { figure } from '../parts/figure.ts';
import { Icon } from '../parts/icon.tsx';
import { linkToUser } from '../parts/user-link.tsx';
import { linkTo, place, type PageLocation } from '../address/place.ts';
import { pathBelow, seen } from '../address/question.ts';
import { EventTable, shortPath } from './event-table.tsx';

const KEY = 'event-query-first-minute';
const ABOVE_50: readonly FilterEntry[] = [
  { property: 'properties.order.total', comparison: 'GREATER_THAN', value: 50 },
];

interface DemoStep {
  readonly text: string;
  /** What the user sees there. */
  readonly shows: string;
  readonly to: Readonly<Record<string, string>>;
}

const STEPS: readonly DemoStep[] = [
  {
    text: 'See the orders above 50',
    shows: 'A filter on a number. Open a row, and click “not this” on a value to exclude it.',
    to: { range: 'all', event: 'order_placed', filter: JSON.stringify(ABOVE_50) },
  },
  {
    text: 'Break down visits by referrer',
    shows: 'Exact counts of events and users. Click “only” next to a value to filter by it.',
    to: { range: 'all', event: 'visit_started', by: 'properties.referrer.source' },
  },
  {
    text: 'Show the plan next to each page view',
    shows: 'Any path can be a column. Drag across the chart to narrow the time range.',
    to: { range: 'all', event: 'page_viewed', columns: 'properties.page,properties.plan,properties.loadMs' },
  },
];

/** The index of the step whose question is in the address; -1 if none. */
function stepNow({ parameters }: PageLocation): number {
  return STEPS.findIndex(({ to }) =>
    Object.entries(to).every(([name, value]) => parameters.get(name) === value),
  );
}

function wasSeen(): boolean {
  try {
    return localStorage.getItem(KEY) === 'seen';
  } catch {
    return false;
  }
}

/** The demo's first minute: a few questions in order, and what each of them shows. */
export function FirstMinute() {
  const [seen, setSeen] = useState(wasSeen());
  const [done, setDone] = useState<ReadonlySet<number>>(new Set());
  const at = stepNow(place.value);
  useEffect(() => setDone(new Set([...done, at])), [at]);
  if (seen) return null;
  const close = () => {
    setSeen(true);
    try {
      localStorage.setItem(KEY, 'seen');
    } catch {
      // Without storage, the tour appears again at the next visit.
    }
  };
  return (
    <aside class="first card" aria-label="Getting started">
      <header>
        <p>
          <strong>A month of a small shop.</strong> Three queries to start with:
        </p>
        <button type="button" class="ghost" aria-label="Close getting started" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <ol>
        {STEPS.map(({ text, shows, to }, i) => (
          <li key={text} class={i === at ? 'at' : ''}>
            <span class="number-of" aria-hidden="true">
              {i !== at && done.has(i) ? '✓' : i + 1}
            </span>
            <div>
              <a href={linkTo('explore', 'demo', to)} aria-current={i === at ? 'step' : undefined}>
                {text}
              </a>
              <p class="hint">{shows}</p>
            </div>
          </li>
        ))}
      </ol>
      <p class="hint">
        Then <a href={linkTo('authentication', 'demo')}>send your own event</a> and watch it{' '}
        <a href={linkTo('live', 'demo')}>arrive</a>.
      </p>
    </aside>
  );
}

/** A question about the first events of a tenant, as a link. */
interface FirstQuestion {
  readonly text: string;
  readonly href: string;
}

/** Questions that a first event suggests. The first one suits every event. */
function questionsOf(alias: string, { eventName, userId, properties }: Event): readonly FirstQuestion[] {
  const explore = (to: Readonly<Record<string, string>>) => linkTo('explore', alias, { range: 'all', ...to });
  const [key] =
    Object.entries(properties).find(([, value]) => value !== null && typeof value !== 'object') ?? [];
  const path = key === undefined ? undefined : pathBelow('properties', key);
  return [
    { text: 'Which events are there, from how many users?', href: explore({ by: 'eventName' }) },
    ...(path === undefined
      ? []
      : [
          {
            text: `${seen(eventName)} by ${shortPath(path)}`,
            href: explore({ event: eventName, by: path }),
          },
        ]),
    { text: `All events of ${seen(userId)}`, href: linkToUser(alias, userId) },
  ];
}

interface FirstRunProps {
  readonly tenant: TenantAnswer;
  /** Called when the user asks about the events that have arrived. */
  readonly onQuestion: () => void;
}

/** The way of an empty tenant: to send an event, to see it arrive, and to ask a first question. */
export function FirstRun({ tenant, onQuestion }: FirstRunProps) {
  const { count = 0, latest = [] } = useArrivals(tenant.alias) ?? {};
  const [newest] = latest;
  const questions = newest === undefined ? [] : questionsOf(tenant.alias, newest);
  const at = newest === undefined ? 0 : 2;
  return (
    <section class="first-run card" aria-labelledby="first-run">
      <h2 id="first-run">{newest === undefined ? 'No events yet' : 'Events are arriving'}</h2>
      <ol>
        <Step i={0} at={at} text="Send an event">
          <SendingWays tenant={tenant} />
        </Step>
        <Step i={1} at={at} text="See it arrive">
          <p role="status">
            {count === 0
              ? 'Waiting for the first event…'
              : `${figure(count)} ${count === 1 ? 'event' : 'events'} received.`}
          </p>
          {newest !== undefined && <EventTable events={latest} />}
        </Step>
        <Step i={2} at={at} text="Ask a first question">
          {newest === undefined ? (
            <p class="muted">Questions appear here once events arrive.</p>
          ) : (
            <p class="ways">
              {questions.map(({ text, href }, i) => (
                <a
                  key={href}
                  class={i === 0 ? 'button primary' : 'button'}
                  href={href}
                  // The explorer starts again, with the names and paths that have arrived.
                  onClick={onQuestion}
                >
                  <bdi>{text}</bdi>
                </a>
              ))}
            </p>
          )}
        </Step>
      </ol>
    </section>
  );
}

/** A step of the first run: its mark says whether it is done. */
function Step({
  i,
  at,
  text,
  children,
}: {
  readonly i: number;
  readonly at: number;
  readonly text: string;
  readonly children: ComponentChildren;
}) {
  return (
    <li class={i === at ? 'at' : ''} aria-current={i === at ? 'step' : undefined}>
      <span class="number-of" aria-hidden="true">
        {i < at ? '✓' : i + 1}
      </span>
      <div>
        <h3>{text}</h3>
        {children}
      </div>
    </li>
  );
}
