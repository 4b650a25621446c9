import { signal } from '@preact/signals';

/** The looks that there are: as the system has it, or one for good. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** By this name `public/theme.js` finds it, before anything is painted. */
const KEY = 'event-query-theme';

const { dataset } = document.documentElement;

/** The look now: the one that was kept, where there is one. */
export const theme = signal<Theme>(THEMES.find((known) => known === dataset.theme) ?? 'system');

/** Takes a look, and keeps it for the next visit where that can be. */
export function setTheme(next: Theme): void {
  theme.value = next;
  dataset.theme = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // It holds until the page is left.
  }
}
