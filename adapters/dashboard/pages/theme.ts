import { signal } from '@preact/signals';

/** The looks that there are: as the system has it, or one for good. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'event-query-theme';

function read(): Theme {
  try {
    return THEMES.find((known) => known === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    // A browser may keep nothing.
    return 'system';
  }
}

/** The look now. */
export const theme = signal<Theme>('system');

/** Takes the look that was kept: where it is kept is another process, for which this one waits. */
export function takeKeptTheme(): void {
  show(read());
}

function show(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset.theme = next;
}

/** Takes a look, and keeps it for the next visit where that can be. */
export function setTheme(next: Theme): void {
  show(next);
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // It holds until the page is left.
  }
}
