import { singleKeys } from './setting.ts';
import { SHORTCUTS } from './table.ts';

/** Whether a Mac's Cmd key takes the place of Ctrl. */
export const isMac = /Mac OS X|iPhone|iPad/.test(navigator.userAgent);

/** Whether keys that are pressed at an element are text for it. */
function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const noText = '[type="checkbox"], [type="radio"], [type="button"], [type="submit"]';
  return target.isContentEditable || target.matches(`textarea, select, input:not(${noText})`);
}

/** Runs the shortcut of a pressed key. While the user types, or a dialog is open, keys are not shortcuts. */
function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || takesText(event.target)) return;
  if (document.querySelector('dialog[open]') !== null) return;
  const [command, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  // AltGr, with which some layouts write a slash, counts as Ctrl and Alt.
  const isText = event.getModifierState('AltGraph');
  if (!isText && (event.altKey || other)) return;
  const isCommand = command && !isText;
  if (!isCommand && !singleKeys.peek()) return;
  const found = SHORTCUTS.find((each) => each.key === event.key && (each.isCommand ?? false) === isCommand);
  if (found === undefined || (event.repeat && found.repeats !== true)) return;
  if (found.act()) event.preventDefault();
}

/** Listens to the shortcuts. Returns a function that stops this. */
export function listenToKeys(): () => void {
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}
