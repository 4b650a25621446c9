import { batch, computed, effect, signal } from '@preact/signals';
import { addressWith, parseAddress, type PageLocation } from './address.ts';
import { keptAfter, type KeptQuestions } from './kept.ts';
import { arrive, leaveStep, pushStep } from './trail.ts';

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
    const { page, alias, parameters } = place.peek();
    const user = parameters.get('user');
    leaveStep();
    now.value = Date.now();
    hash.value = location.hash;
    const isOther = page !== place.peek().page || alias !== place.peek().alias;
    if (isOther) moveNow(now.peek());
    arrive(isOther || user !== place.peek().parameters.get('user'));
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

/** The last question about each tenant, to which the menu leads back. */
export const kept = signal<KeptQuestions>(new Map());
effect(() => {
  kept.value = keptAfter(kept.peek(), place.value);
});

/** The name of the saved view whose question the explorer shows; undefined for another question. */
export const shownView = computed((): string | undefined => {
  const { page, parameters } = place.value;
  const name = page === 'explore' ? (parameters.get('view') ?? '') : '';
  return name === '' ? undefined : name;
});

/** The current page. Components that need only this do not render again with each new question. */
export const pageNow = computed(() => place.value.page);
/** The current tenant's alias. */
export const aliasNow = computed(() => place.value.alias);

/** Changes parameters of the address; an empty value removes one. `quiet` adds no history entry. */
export function setParameters(changes: Readonly<Record<string, string>>, quiet = false): void {
  const address = addressWith(place.value, changes);
  pushStep(address, quiet);
  hash.value = address;
}
