import type { ComponentChildren } from 'preact';

interface Children {
  readonly children?: ComponentChildren;
}

/** The head of a page. */
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

/** A message: what went wrong, what worked, what is to be known. */
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

/** Begins anew at the same address. */
export function Reload() {
  return (
    <button type="button" class="primary" onClick={() => location.reload()}>
      Reload
    </button>
  );
}

/** What could not be answered: why, and the ways on. */
export function Refusal({ error, again, children }: Children & RefusalProps) {
  return (
    <Notice kind="error">
      <p>{error}</p>
      <p class="ways">
        <button type="button" onClick={again}>
          Try again
        </button>
        {children}
      </p>
    </Notice>
  );
}

interface RefusalProps {
  readonly error: string;
  /** Asks once more. */
  readonly again: () => void;
}

/** What stands where there is nothing yet: why, and what to do next. */
export function Empty({
  title,
  isPage = false,
  children,
}: Children & {
  readonly title: string;
  /** Whether it stands for the whole page, whose head it is then. */
  readonly isPage?: boolean;
}) {
  return (
    <div class="empty">
      {isPage ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
      <div>{children}</div>
    </div>
  );
}

/** An instant in UTC, and how long ago that was. */
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
  return (
    <time dateTime={iso} title={`${iso} (UTC)`}>
      {iso.slice(0, 10)} <span class="muted">{iso.slice(11, 19)}</span>
    </time>
  );
}
