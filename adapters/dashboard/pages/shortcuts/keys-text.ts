import { isMac } from './listen.ts';
import { SHORTCUTS, type Shortcut } from './table.ts';

/** The text of a shortcut's keys. */
export const textOf = ({ key, isCommand = false }: Shortcut): string =>
  isCommand ? `${isMac ? '⌘' : 'Ctrl'} ${key.toUpperCase()}` : key;

/** The keys that open the palette. */
export const paletteKeys = textOf(SHORTCUTS.find(({ isCommand }) => isCommand)!);
