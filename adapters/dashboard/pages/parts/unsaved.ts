import { signal } from '@preact/signals';

/** Settings that were changed and not saved, and the page that has their form. */
export interface UnsavedForm {
  readonly title: string;
  readonly page: string;
  readonly alias: string;
  /** Forgets the changes. */
  readonly discard: () => void;
}

/** The forms with unsaved changes, each by its key. A change stays while its page is left. */
export const unsaved = signal<ReadonlyMap<string, UnsavedForm>>(new Map());
