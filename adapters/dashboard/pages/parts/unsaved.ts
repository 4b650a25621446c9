import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

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

const ask = (event: BeforeUnloadEvent) => event.preventDefault();
effect(() => {
  // A browser keeps a page for the way back only if nothing listens.
  if (unsaved.value.size > 0) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
});

/** Tells whether a form has unsaved changes: undefined for none. */
export function useUnsaved(key: string, form: UnsavedForm | undefined): void {
  useEffect(() => {
    const next = new Map(unsaved.peek());
    if (form === undefined) next.delete(key);
    else next.set(key, form);
    unsaved.value = next;
  }, [key, form === undefined]);
}
