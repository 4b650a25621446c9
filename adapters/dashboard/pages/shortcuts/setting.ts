import { signal } from '@preact/signals';

const KEY = 'event-query-single-keys';

/**
 * Whether keys without Ctrl or Cmd act. People who dictate, or who hit keys by accident, can switch them off
 * (WCAG 2.1.4).
 */
export const singleKeys = signal(readStored());

/** Switches the keys without Ctrl or Cmd on or off, also for the next visit if the browser allows that. */
export function setSingleKeys(isOn: boolean): void {
  singleKeys.value = isOn;
  try {
    localStorage.setItem(KEY, isOn ? 'on' : 'off');
  } catch {
    // Without storage, the choice lasts until the user leaves the page.
  }
}

function readStored(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}
