import { signal } from '@preact/signals';

/** The themes: that of the system, or a fixed one. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The storage key, with which `public/theme.js` finds the theme before the first paint. */
const KEY = 'event-query-theme';

const { dataset } = document.documentElement;

/** The current theme: the stored one, if there is one. */
export const theme = signal<Theme>(THEMES.find((known) => known === dataset.theme) ?? 'system');

/** Sets the theme, and stores it for the next visit if the browser allows that. */
export function setTheme(next: Theme): void {
  theme.value = next;
  dataset.theme = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Without storage, the theme lasts until the user leaves the page.
  }
}
