import type { ComponentChildren } from 'preact';
import { zoneNow } from '../address/zone.ts';
import { SECONDS_LENGTH, textIn } from '../time/zone.ts';
import { isShared, retried, retryAll, sharedErrors } from '../server/failures.ts';

interface Children {
  readonly children?: ComponentChildren;
}

/** The heading of a page. */
export function PageHead({
  title,
  lead,
  children,
}: Children & { readonly title: string; readonly lead: string }) {
  return (
    <header class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        <p class="lead">{lead}</p>
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}

/** A message: an error, a success or a piece of information. */
export function Notice({
  kind = 'info',
  children,
}: Children & { readonly kind?: 'info' | 'error' | 'good' }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** A button that loads the page again at the same address. */
export function Reload() {
  return (
    <button type="button" class="primary" onClick={() => location.reload()}>
      Reload
    </button>
  );
}

/**
 * The notice for a question without an answer: the reason, and what the user can do. A reason that several
 * questions share stands at the top of the page instead.
 */
export function Refusal({ error, again, children }: Children & RefusalProps) {
  if (isShared(error)) return <p class="muted">Not loaded.</p>;
  return (
    <Notice kind="error">
      <p>{error}</p>
      <p class="ways">
        <button type="button" onClick={again}>
          Retry
        </button>
        {children}
      </p>
    </Notice>
  );
}

/** The reasons for which several questions of the page failed, each with one button that asks all of them. */
export function SharedRefusals() {
  return sharedErrors.value.map(({ error, asOf }) => (
    <Notice key={error} kind="error">
      <p class={asOf === undefined ? undefined : 'lapse'}>
        {error}
        {asOf !== undefined && ` Not refreshed: this is as of ${timeOf(asOf)} (UTC).`}
      </p>
      <p class="ways">
        <button type="button" disabled={retried.value === error} onClick={() => retryAll(error)}>
          Retry
        </button>
      </p>
    </Notice>
  ));
}

/** The time of day of an instant. */
const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, 19);

interface RefusalProps {
  readonly error: string;
  /** Repeats the request. */
  readonly again: () => void;
}

/** The notice where there is no data yet: the reason, and the next step. */
export function Empty({
  title,
  isPage = false,
  children,
}: Children & {
  readonly title: string;
  /** Whether it replaces the whole page, so that its title is the page's heading. */
  readonly isPage?: boolean;
}) {
  return (
    <div class="empty">
      {isPage ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
      <div>{children}</div>
    </div>
  );
}

/** An instant as the clocks of the zone show it, with UTC as its title. */
export function Time({
  ms,
  never = 'never',
}: {
  readonly ms: number | string | null;
  readonly never?: string;
}) {
  if (ms === null) return <span class="muted">{never}</span>;
  const date = new Date(ms);
  const iso = date.toISOString();
  const [day, time] = textIn(zoneNow.value, date.getTime(), SECONDS_LENGTH).split(' ');
  return (
    <time dateTime={iso} title={`${iso} (UTC)`}>
      {day} <span class="muted">{time}</span>
    </time>
  );
}
