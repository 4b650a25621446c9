import { computed, signal } from '@preact/signals';

/** Where the pages are: all state that a link keeps stands behind the `#` of the address. */
export interface PageLocation {
  readonly page: string;
  /** The tenant's alias; empty where the page is of none. */
  readonly alias: string;
  readonly parameters: URLSearchParams;
}

const hash = signal(location.hash);
addEventListener('hashchange', () => (hash.value = location.hash));

/** The place of the address now: `#/PAGE/ALIAS?name=value`. */
export const place = computed<PageLocation>(() => {
  const [path = '', query = ''] = hash.value.replace(/^#/, '').split(/\?(.*)/s);
  const [, page = '', alias = ''] = path.split('/');
  return { page: page || 'explore', alias: safeDecode(alias), parameters: new URLSearchParams(query) };
});

/** The page of the address: who needs no more than that is not drawn anew with each question. */
export const pageNow = computed(() => place.value.page);
/** The tenant's alias in the address. */
export const aliasNow = computed(() => place.value.alias);

/** A text of an address; the text of nothing where it is none. */
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

/** Whether the way back leads to the place from which a page came here itself. */
export const canGoBack = (): boolean =>
  (history.state as { readonly isStep?: boolean } | null)?.isStep === true;

/** Changes what the address says: an empty value is taken away. `quiet` leaves no step to go back to. */
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
