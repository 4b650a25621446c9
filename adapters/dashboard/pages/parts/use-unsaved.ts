import { useEffect } from 'preact/hooks';
import { unsaved, type UnsavedForm } from './unsaved.ts';

/** Keeps a form with unsaved changes by its key, or removes it: undefined for no such changes. */
export function setUnsaved(key: string, form: UnsavedForm | undefined): void {
  const next = new Map(unsaved.peek());
  if (form === undefined) next.delete(key);
  else next.set(key, form);
  unsaved.value = next;
}

/** Tells whether a form has unsaved changes: undefined for none. */
export function useUnsaved(key: string, form: UnsavedForm | undefined): void {
  useEffect(() => setUnsaved(key, form), [key, form === undefined]);
}
