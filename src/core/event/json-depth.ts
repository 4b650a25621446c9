import { KEYS_MAX } from './event-fields.ts';

/** Exceeds the depth of every valid body: a batch, an event and its properties have 66 levels. */
export const LEVELS_MAX = 128;

/**
 * Whether a JSON text nests deeper than any valid body. Called before `JSON.parse`, because megabytes of
 * brackets cost it many times more than megabytes of events, and gzip packs them into kilobytes. What walks
 * a value, such as `JSON.stringify`, needs stack for each level, and some thousands of them, which are a
 * short text, exhaust it. The text need not be valid JSON.
 */
export function isTooDeep(text: string): boolean {
  if (!hasManyBrackets(text)) return false;
  let levels = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(text, i);
        break;
      case 0x5b: // [
      case 0x7b: // {
        levels += 1;
        if (levels > LEVELS_MAX) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        levels -= 1;
        break;
    }
  }
  return false;
}

/** Whether as many brackets open as too many levels have. Most texts have fewer and need no closer look. */
function hasManyBrackets(text: string): boolean {
  let left = LEVELS_MAX;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (--left < 0) return true;
    }
  }
  return false;
}

/** Shorter texts parse fast whatever keys they have. */
const FEW_KEYS_LENGTH_MAX = 65_536;

/**
 * Whether the text of an event has more keys than an event may have. Called before `JSON.parse`, because an
 * object of a hundred thousand keys costs it many times more than other text of the same size. The text need
 * not be valid JSON.
 */
export function hasTooManyKeys(text: string): boolean {
  if (text.length <= FEW_KEYS_LENGTH_MAX) return false;
  let keysLeft = KEYS_MAX + OWN_KEYS_MAX;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) i = endOfString(text, i);
    else if (unit === 0x3a && --keysLeft < 0) return true;
  }
  return false;
}

/** How many keys an event has besides those of its properties. */
const OWN_KEYS_MAX = 6;

/**
 * The index of the quote that ends the string starting at `begin`: the first one that no backslash escapes.
 */
export function endOfString(text: string, begin: number): number {
  let from = begin + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    from = quote + 1;
  }
}
