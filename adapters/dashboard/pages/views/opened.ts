import { signal } from '@preact/signals';
import type { ViewAnswer } from '../../../../src/admin-api.ts';

/** An open dialog of saved views. */
type OpenViews =
  { readonly kind: 'list' } | { readonly kind: 'rename' | 'update' | 'delete'; readonly view: ViewAnswer };

/** The open dialog of saved views; undefined for none. */
export const opened = signal<OpenViews | undefined>(undefined);

/** Opens the list of saved views. */
export const showList = () => (opened.value = { kind: 'list' });
/** Closes the dialog of saved views. */
export const close = () => (opened.value = undefined);
