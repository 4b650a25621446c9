import type { ComponentChildren } from 'preact';
import type { Event } from '../../../../src/index.ts';
import type { TenantAnswer } from '../../../../src/admin-api.ts';
import { useArrivals } from '../ingestion/arrivals.ts';
import { SendingWays } from '../ingestion/sending.tsx';
import { figure } from '../parts/figure.ts';
import { linkToUser } from '../parts/user-link.tsx';
import { linkTo } from '../address/address.ts';
import { pathBelow } from '../address/paths.ts';
import { seen } from '../address/written.ts';
import { EventTable, shortPath } from './event-table.tsx';

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
  const { count = 0, latest = [] } = useArrivals(tenant.alias, true) ?? {};
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
