import { batch, computed, signal } from '@preact/signals';

/** The place that the address names. The part after `#` holds all state that a link keeps. */
export interface PageLocation {
  readonly page: string;
  /** The tenant's alias; empty if the page belongs to no tenant. */
  readonly alias: string;
  readonly parameters: URLSearchParams;
}

/** Pages that once had another name, under which links to them were kept. */
const RENAMED: Readonly<Record<string, string>> = { ingestion: 'authentication' };

const hash = signal(location.hash);

/**
 * The instant at which a range of time that ends now ends. A link that is opened and a refresh move it. A
 * change of the question does not, so that all of a page's answers are about the same range.
 */
export const now = signal(Date.now());

/**
 * The instant of the last refresh, or of the way to the page. The answers about a range that does not end now
 * are of it.
 */
export const refreshed = signal(now.peek());

/** Moves the end of ranges to an instant, so that all is asked again. */
export function moveNow(instant = Date.now()): void {
  now.value = instant;
  refreshed.value = instant;
}

addEventListener('hashchange', () =>
  batch(() => {
    const { page, alias } = place.peek();
    now.value = Date.now();
    hash.value = location.hash;
    if (page !== place.peek().page || alias !== place.peek().alias) moveNow(now.peek());
  }),
);

/** The changes of an address that leave its page of events: its cursor, and the instant of all pages. */
export const FIRST_PAGE = { cursor: '', at: '' };

/** Asks the question of the address again, now and from its first page of events on. */
export function refresh(): void {
  batch(() => {
    // Two refreshes within a millisecond are two questions all the same.
    moveNow(Math.max(Date.now(), now.peek() + 1));
    setParameters(FIRST_PAGE, true);
  });
}

/** The current place, from the address: `#/PAGE/ALIAS?name=value`. */
export const place = computed<PageLocation>(() => {
  const [path = '', query = ''] = hash.value.replace(/^#/, '').split(/\?(.*)/s);
  const [, page = '', alias = ''] = path.split('/');
  return {
    page: RENAMED[page] ?? (page || 'explore'),
    alias: safeDecode(alias),
    parameters: new URLSearchParams(query),
  };
});

/** The current page. Components that need only this do not render again with each new question. */
export const pageNow = computed(() => place.value.page);
/** The current tenant's alias. */
export const aliasNow = computed(() => place.value.alias);

/** Decodes a part of an address; an empty text if it is malformed. */
export function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** The address of a place. */
export function linkTo(page: string, alias = '', parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${page}${alias === '' ? '' : `/${encodeURIComponent(alias)}`}${query === '' ? '' : `?${query}`}`;
}

/** Whether the browser's back button leads to a place from which these pages navigated. */
export const canGoBack = (): boolean =>
  (history.state as { readonly isStep?: boolean } | null)?.isStep === true;

/** Changes parameters of the address; an empty value removes one. `quiet` adds no history entry. */
export function setParameters(changes: Readonly<Record<string, string>>, quiet = false): void {
  const { page, alias, parameters } = place.value;
  const next = new URLSearchParams(parameters);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const address = linkTo(page, alias, Object.fromEntries(next));
  if (quiet) history.replaceState(history.state, '', address);
  else history.pushState({ isStep: true }, '', address);
  hash.value = address;
}
