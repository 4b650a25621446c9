import type { JsonValue } from '../../src/index.ts';

/** Receives the value that one of the paths has in a text. */
export type TakeFound = (path: number, value: JsonValue) => void;

/** Finds the values of some paths in the canonical JSON text of an object; skips paths without a value. */
export type Scan = (text: string, take: TakeFound) => void;

/** A node in the trie of paths: one key, and the paths that continue below it. */
interface Branch {
  /** The key as it is written between the quotes in canonical JSON. */
  readonly key: string;
  /** The indices of the paths that end with this key. */
  readonly ends: number[];
  /** The next keys of longer paths. */
  readonly below: Branches;
}

/** The branches below one node: few are compared one by one, many are looked up in the map. */
interface Branches {
  readonly list: Branch[];
  readonly byKey: Map<string, Branch>;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;

/**
 * Makes a function that finds some paths, each of at least one key, in one pass over a canonical JSON text.
 * It does not parse other values, and stops after the last path is found. For a text that is not canonical,
 * the results are undefined and it may throw a SyntaxError.
 */
export function createScan(paths: readonly (readonly string[])[]): Scan {
  const root = createBranch('');
  paths.forEach((segments, path) => {
    let branch = root;
    for (const segment of segments) branch = branchOf(branch, JSON.stringify(segment).slice(1, -1));
    branch.ends.push(path);
  });
  const mayHave = createSearch(paths);
  /** How many of the paths have not been found yet. */
  let left = 0;

  /** Scans an object from its opening brace; returns the place after it, or after the last path found. */
  function scanObject(text: string, from: number, branches: Branches, take: TakeFound): number {
    let at = from + 1;
    if (text.charCodeAt(at) !== QUOTE) return at + 1;
    do {
      const end = behindText(text, at);
      const branch = find(text, at + 1, end - 1, branches);
      at = branch === undefined ? behindValue(text, end + 1) : takeValue(text, end + 1, branch, take);
      // A comma is followed by the next key, the closing brace is not.
      at += 1;
    } while (left > 0 && text.charCodeAt(at) === QUOTE);
    return at;
  }

  function takeValue(text: string, from: number, { ends, below }: Branch, take: TakeFound): number {
    const isOpened = below.list.length > 0 && text.charCodeAt(from) === OBJECT;
    const end = isOpened ? scanObject(text, from, below, take) : behindValue(text, from);
    if (ends.length === 0) return end;
    const value = toValue(text.slice(from, end));
    for (const path of ends) take(path, value);
    left -= ends.length;
    return end;
  }

  return (text, take) => {
    if (!mayHave(text)) return;
    left = paths.length;
    scanObject(text, 0, root.below, take);
  };
}

/** With more paths than this, scanning a text is faster than searching it for the keys of each path. */
const SEARCHED_PATHS_MAX = 4;

/** A search costs an eighth of a scan, so it pays when at least one text in eight lacks the keys. */
const SEARCHES_PER_MISS = 8;
const SEARCHES_FIRST = 16;

/**
 * Makes a quick test whether a text may have one of some paths: in canonical JSON a key is always written as
 * `JSON.stringify` writes it. When most texts have the keys, the test soon gives up and returns true.
 */
function createSearch(paths: readonly (readonly string[])[]): (text: string) => boolean {
  if (paths.length > SEARCHED_PATHS_MAX) return () => true;
  // Leave out the opening quote: a search for it is slow, because a text has so many quotes.
  const ends = paths.map((segments) => segments.map((key) => `${JSON.stringify(key).slice(1)}:`));
  let searches = 0;
  let misses = 0;
  return (text) => {
    if (searches > SEARCHES_FIRST + misses * SEARCHES_PER_MISS) return true;
    searches += 1;
    for (const keys of ends) if (keys.every((key) => text.includes(key))) return true;
    misses += 1;
    return false;
  };
}

function createBranch(key: string): Branch {
  return { key, ends: [], below: { list: [], byKey: new Map() } };
}

function branchOf({ below }: Branch, key: string): Branch {
  const known = below.byKey.get(key);
  if (known !== undefined) return known;
  const branch = createBranch(key);
  below.list.push(branch);
  below.byKey.set(key, branch);
  return branch;
}

/** Up to this many branches, comparing a key with each is faster than slicing it out for a lookup. */
const COMPARED_MAX = 16;

/** The branch of the key between two places of a text. */
function find(text: string, from: number, to: number, { list, byKey }: Branches): Branch | undefined {
  if (list.length > COMPARED_MAX) return byKey.get(text.slice(from, to));
  for (const branch of list) {
    if (branch.key.length === to - from && text.startsWith(branch.key, from)) return branch;
  }
  return undefined;
}

function toValue(text: string): JsonValue {
  if (text.charCodeAt(0) !== QUOTE || text.includes('\\')) return JSON.parse(text) as JsonValue;
  return text.slice(1, -1);
}

/** The place after the string that begins with the quote at `from`. */
function behindText(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

/** Whether an odd number of backslashes precedes a place. */
function isEscaped(text: string, place: number): boolean {
  let at = place;
  while (text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
  return (place - at) % 2 === 1;
}

/** The place after the value that begins at `from`. */
function behindValue(text: string, from: number): number {
  const unit = text.charCodeAt(from);
  if (unit === QUOTE) return behindText(text, from);
  if (unit === OBJECT || unit === ARRAY) return behindOpen(text, from);
  let at = from + 1;
  for (; at < text.length; at++) {
    const next = text.charCodeAt(at);
    if (next === COMMA || next === OBJECT_END || next === ARRAY_END) return at;
  }
  return at;
}

/** The place after the object or array that begins at `from`. */
function behindOpen(text: string, from: number): number {
  let depth = 1;
  let at = from + 1;
  while (depth > 0 && at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = behindText(text, at);
      continue;
    }
    if (unit === OBJECT || unit === ARRAY) depth += 1;
    else if (unit === OBJECT_END || unit === ARRAY_END) depth -= 1;
    at += 1;
  }
  return at;
}
