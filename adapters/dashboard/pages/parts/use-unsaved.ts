import { useEffect } from 'preact/hooks';
import { unsaved, type UnsavedForm } from './unsaved.ts';

/** Tells whether a form has unsaved changes: undefined for none. */
export function useUnsaved(key: string, form: UnsavedForm | undefined): void {
  useEffect(() => {
    const next = new Map(unsaved.peek());
    if (form === undefined) next.delete(key);
    else next.set(key, form);
    unsaved.value = next;
  }, [key, form === undefined]);
}
