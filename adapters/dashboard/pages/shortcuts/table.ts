import { opened } from './opened.ts';
import { moveToRow } from './rows.ts';

/** A key, and what it does. The listener and the help read the same table. */
export interface Shortcut {
  /** The key, as `KeyboardEvent.key` names it. */
  readonly key: string;
  /** Whether it takes Ctrl, or Cmd on a Mac. */
  readonly isCommand?: boolean;
  /** Whether a key that is held down acts again. */
  readonly repeats?: boolean;
  readonly text: string;
  /** Acts, and returns whether the page has something for it. */
  readonly act: () => boolean;
}

/** All shortcuts, in the order of the help. */
export const SHORTCUTS: readonly Shortcut[] = [
  { key: 'k', isCommand: true, text: 'Go to a page or a tenant', act: () => open('palette') },
  {
    key: '/',
    text: 'Go to the search or the filters of the page',
    act: () => focusOn(SEARCHES) || open('palette'),
  },
  { key: 'f', text: 'Add a filter, in Explorer and Live', act: addFilter },
  { key: 'j', repeats: true, text: 'Next row. Enter opens it', act: () => moveToRow(1) },
  { key: 'k', repeats: true, text: 'Previous row', act: () => moveToRow(-1) },
  { key: '?', text: 'Show these keys', act: () => open('help') },
];

/** Where one searches, the most special first: filters of events, a search of the page, any other field. */
const SEARCHES = [
  'main .filters .asked :is(input, select)',
  'main :is(input[type="search"], [role="combobox"])',
  'main form :is(input:not([type="checkbox"], [type="radio"]), select)',
];

function open(what: 'palette' | 'help'): boolean {
  opened.value = what;
  return true;
}

/** Focuses the first visible element of the first selector that finds one. */
function focusOn(selectors: readonly string[]): boolean {
  const all = selectors.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)]);
  const found = all.find((each) => each.checkVisibility() && !each.matches(':disabled'));
  found?.focus();
  if (found instanceof HTMLInputElement) found.select();
  return found !== undefined;
}

/** Opens the form of a new filter, or goes on with the one that is open. */
function addFilter(): boolean {
  const button = document.querySelector<HTMLElement>('main .applied .add-filter');
  button?.click();
  return button !== null || focusOn(['main .draft .path input']);
}
