import { signal } from '@preact/signals';

/** Whether a row that is shown is open: what somebody reads does not move away by itself. */
export const isReadingRow = signal(false);
