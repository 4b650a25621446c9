import { useMemo } from 'preact/hooks';
import type { CountBody, Event } from '../../../../src/index.ts';
import { PAGE_SIZE } from '../address/question.ts';
import { place, setParameters } from '../address/place.ts';
import { EventTable } from '../explore/event-table.tsx';
import { loadPage, Turning, turnTo } from '../explore/pages.tsx';
import { Empty, Refusal, Time } from '../parts/text.tsx';
import { zoneNow } from '../address/zone.ts';
import { ask, countOf } from '../server/api.ts';
import type { Loaded } from '../server/loading.ts';
import { beginOf, bodyFrom } from './begins.ts';
import { byDay } from './days.ts';
import { oldestFirst } from './oldest.ts';

/** A page of a user's events. */
export interface EventsPage {
  readonly events: readonly Event[];
  readonly isOldestFirst: boolean;
  /** The instant of the event at which they begin; undefined if they begin at one of the ends. */
  readonly at: number | undefined;
  /** The parameters of the next page; undefined on the last one. */
  readonly next: Readonly<Record<string, string>> | undefined;
}

/** The questions about a user's events, from which `oldestFirst` makes a page. */
export const askingFor = (alias: string, body: CountBody, signal: AbortSignal) => ({
  count: () => countOf(alias, body, signal),
  page: (offset: number, size: number) =>
    ask<Event[]>(
      `query/${alias}`,
      { ...body, pagination: { offset, size }, include: ['receivedAt'] },
      { signal },
    ),
});

/** Loads the page of events that an address names. */
export async function loadEvents(
  alias: string,
  body: CountBody,
  parameters: URLSearchParams,
  signal: AbortSignal,
): Promise<EventsPage> {
  const at = beginOf(parameters);
  const isOldestFirst = parameters.get('order') === 'oldest';
  const from = bodyFrom(body, at, isOldestFirst);
  if (isOldestFirst) {
    const asked = Number(parameters.get('offset') ?? '0');
    const start = Number.isSafeInteger(asked) && asked > 0 ? asked : 0;
    const page = await oldestFirst(askingFor(alias, from, signal), start, PAGE_SIZE);
    const end = page.from + page.events.length;
    const next = end < page.total ? { offset: String(end) } : undefined;
    return { events: page.events, isOldestFirst, at, next };
  }
  const { events, next } = await loadPage(alias, from, parameters, signal);
  return { events, isOldestFirst, at, next: next === undefined ? undefined : { cursor: next } };
}

/** Says that the timeline begins at an event, and leads to the events on its other side and to all. */
function Begun({ at, isOldestFirst }: { readonly at: number; readonly isOldestFirst: boolean }) {
  return (
    <p class="begun">
      <span class="muted">
        From <Time ms={at} /> {isOldestFirst ? 'on' : 'back'}.
      </span>{' '}
      <button
        type="button"
        class="small"
        onClick={() => turnTo({ order: isOldestFirst ? '' : 'oldest', ...FIRST_PAGE })}
      >
        {isOldestFirst ? 'Earlier events' : 'Later events'}
      </button>{' '}
      <button type="button" class="small" onClick={() => turnTo({ at: '', ...FIRST_PAGE })}>
        All events
      </button>
    </p>
  );
}

/** The parameters that say a page. */
const FIRST_PAGE = { cursor: '', offset: '' };

/** The events of a user as a timeline: by days of the zone, page by page. */
export function UserEvents({
  loaded: { value, error, loading, isOld, again },
}: {
  readonly loaded: Loaded<EventsPage> & { readonly again: () => void };
}) {
  const { parameters } = place.value;
  const order = parameters.get('order') === 'oldest' ? 'oldest' : 'newest';
  const isLater = Object.keys(FIRST_PAGE).some((name) => parameters.has(name));
  const next = value?.next;
  const zone = zoneNow.value;
  const table = useMemo(
    () =>
      value !== undefined &&
      value.events.length > 0 && (
        <EventTable events={value.events} days={byDay(value.events, zone)} marked={value.at} />
      ),
    [value, zone],
  );
  return (
    <section class={isOld ? 'rows of-user old' : 'rows of-user'} aria-labelledby="rows" aria-busy={loading}>
      <header>
        <h2 id="rows" tabIndex={-1}>
          Timeline
        </h2>
        <label class="inline-label">
          Order
          <select
            value={order}
            onChange={({ currentTarget }) =>
              setParameters({ order: currentTarget.value === 'oldest' ? 'oldest' : '', ...FIRST_PAGE })
            }
          >
            <option value="newest">newest first</option>
            <option value="oldest">oldest first</option>
          </select>
        </label>
      </header>
      {value?.at !== undefined && <Begun at={value.at} isOldestFirst={value.isOldestFirst} />}
      {error !== undefined && <Refusal error={error} again={again} />}
      {value?.events.length === 0 && (
        <Empty title="No events of this user">
          There are none with exactly this user ID. Capital letters and spaces count.
        </Empty>
      )}
      {table}
      {value !== undefined && (
        <Turning
          shown={value.events.length}
          first={isLater ? () => turnTo(FIRST_PAGE) : undefined}
          next={next === undefined ? undefined : () => turnTo({ ...FIRST_PAGE, ...next })}
        />
      )}
    </section>
  );
}
