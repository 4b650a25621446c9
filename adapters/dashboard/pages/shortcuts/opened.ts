import { signal } from '@preact/signals';

/** The dialog that a shortcut has opened, if any. */
export const opened = signal<'palette' | 'help' | undefined>(undefined);

/** Closes the dialog that a shortcut has opened. */
export function close(): void {
  opened.value = undefined;
}
