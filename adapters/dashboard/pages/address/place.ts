import { batch, computed, signal } from '@preact/signals';
import { addressWith, parseAddress, type PageLocation } from './address.ts';

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

/** The current place, from the address. */
export const place = computed<PageLocation>(() => parseAddress(hash.value));

/** The current page. Components that need only this do not render again with each new question. */
export const pageNow = computed(() => place.value.page);
/** The current tenant's alias. */
export const aliasNow = computed(() => place.value.alias);

/** Whether the browser's back button leads to a place from which these pages navigated. */
export const canGoBack = (): boolean =>
  (history.state as { readonly isStep?: boolean } | null)?.isStep === true;

/** Changes parameters of the address; an empty value removes one. `quiet` adds no history entry. */
export function setParameters(changes: Readonly<Record<string, string>>, quiet = false): void {
  const address = addressWith(place.value, changes);
  if (quiet) history.replaceState(history.state, '', address);
  else history.pushState({ isStep: true }, '', address);
  hash.value = address;
}
