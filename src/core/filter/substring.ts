/**
 * The longest part that the JavaScript engine's own search handles. Of a longer one, V8 uses only the last
 * 250 units to decide how far to skip, so that some texts of a megabyte take seconds.
 */
export const BUILT_IN_SEARCH_LENGTH_MAX = 250;

/**
 * Compiles a function that tells whether a text has `part` as a substring, unit by unit. Its time is linear
 * in both lengths for any input (Knuth, Morris and Pratt), because both come from outside.
 */
export function compileSubstring(part: string): (text: string) => boolean {
  if (part.length <= BUILT_IN_SEARCH_LENGTH_MAX) return (text) => text.includes(part);
  let borders: Uint32Array | undefined;
  return (text) => {
    if (text.length < part.length) return false;
    borders ??= toBorders(part);
    return search(text, part, borders);
  };
}

/** For each prefix of a part, the length of the longest shorter prefix that it ends with. */
function toBorders(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let i = 1; i < part.length; i++) {
    const unit = part.charCodeAt(i);
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1]!;
    if (part.charCodeAt(length) === unit) length += 1;
    borders[i] = length;
  }
  return borders;
}

function search(text: string, part: string, borders: Uint32Array): boolean {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1]!;
    if (part.charCodeAt(length) === unit) length += 1;
    if (length === part.length) return true;
  }
  return false;
}

/**
 * Up to this many parts are searched one after the other, because each search by the JavaScript engine is
 * fast.
 */
const ONE_BY_ONE_MAX = 4;

/** How many transitions an automaton may have. */
const TRANSITIONS_MAX = 65_536;

/** The state of a match. */
const FOUND = 0xffff_ffff;

/**
 * Whether the parts are so few or short that one search for all of them takes about as long as one for a
 * single part.
 */
export function isOneSearch(parts: readonly string[]): boolean {
  const length = parts.reduce((sum, part) => sum + part.length, 1);
  // Parts with too many states are rejected before their units are looked at.
  return length <= TRANSITIONS_MAX / 2 && length * (classesOf(parts).count + 1) <= TRANSITIONS_MAX;
}

/**
 * Compiles a function that tells whether a text has any of the parts as a substring, unit by unit.
 * `isOneSearch` must hold for them. If there are many, it looks at each unit of the text once for all parts
 * (Aho and Corasick).
 */
export function compileSubstrings(parts: readonly string[]): (text: string) => boolean {
  const distinct = [...new Set(parts)];
  if (distinct.includes('')) return () => true;
  if (distinct.length <= ONE_BY_ONE_MAX) {
    const searches = distinct.map(compileSubstring);
    return (text) => searches.some((has) => has(text));
  }
  const { of, count } = classesOf(distinct);
  const width = count + 1;
  const states = distinct.reduce((sum, part) => sum + part.length, 1);
  const next = createAutomaton(distinct, of, states, width);
  return (text) => {
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      state = next[state + (unit < of.length ? of[unit]! : 0)]!;
      if (state === FOUND) return true;
    }
    return false;
  };
}

/** A number for each distinct unit of the parts, from 1 on; all other units share one class. */
function classesOf(parts: readonly string[]): { readonly of: Uint16Array; readonly count: number } {
  const units = new Set<number>();
  for (const part of parts) for (let i = 0; i < part.length; i++) units.add(part.charCodeAt(i));
  let last = -1;
  for (const unit of units) last = Math.max(last, unit);
  const of = new Uint16Array(last + 1);
  let count = 0;
  for (const unit of units) of[unit] = count += 1;
  return { of, count };
}

/**
 * The transition table: the next state for each unit in each state. A state is the index of its first
 * transition.
 */
function createAutomaton(
  parts: readonly string[],
  classes: Uint16Array,
  states: number,
  width: number,
): Uint32Array {
  const next = new Uint32Array(states * width);
  let end = width;
  for (const part of parts) {
    let state = 0;
    for (let i = 0; i < part.length && state !== FOUND; i++) {
      const place = state + classes[part.charCodeAt(i)]!;
      // A part that starts with another part adds nothing; a part that is the start of another replaces it.
      if (i === part.length - 1) next[place] = FOUND;
      else if (next[place] === 0) {
        next[place] = end;
        end += width;
      }
      state = next[place]!;
    }
  }
  completeAutomaton(next, width, end / width);
  return next;
}

/** At a mismatch the search continues with the longest suffix that is also a prefix of a part. */
function completeAutomaton(next: Uint32Array, width: number, states: number): void {
  const shorter = new Uint32Array(states);
  const line = new Uint32Array(states);
  let length = 1;
  for (let i = 0; i < length; i++) {
    const state = line[i]!;
    const other = shorter[state / width]!;
    for (let unit = 0; unit < width; unit++) {
      const follower = next[state + unit]!;
      const fallen = state === 0 ? 0 : next[other + unit]!;
      if (follower === 0 || fallen === FOUND) next[state + unit] = fallen;
      else if (follower !== FOUND) {
        shorter[follower / width] = fallen;
        line[length++] = follower;
      }
    }
  }
}
