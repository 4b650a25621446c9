import { isApiError, type JsonObject, type JsonValue } from '../../../src/index.ts';
import { isJsonObject, parseJsonLine } from '../../../src/internal.ts';

/** How deep a list may be that is proposed. */
const DEPTH_MAX = 4;

/** A list of objects within an object. */
export interface FoundList {
  /** Its keys, separated by dots. */
  readonly path: string;
  readonly items: readonly JsonObject[];
}

/**
 * Whether a text begins a JSON array. A line of a log, or a name in brackets, may begin with the same sign.
 */
export function beginsArray(text: string): boolean {
  return /^\[\s*([[{\]]|$|("([^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)\s*(,|\]\s*($|\n)))/.test(text);
}

/** Whether lines begin an object that goes on in the next one. */
export function beginsOpenObject([first = '', second = '']: readonly string[]): boolean {
  const line = first.trimEnd();
  if (!line.startsWith('{') || isObject(line)) return false;
  if (line.endsWith('[')) return true;
  // A comma behind a whole object separates objects; and no object stands where a key is due.
  return /[{,:]$/.test(line) && !isObject(line.replace(/,$/, '')) && !second.trimStart().startsWith('{');
}

const isObject = (text: string) => {
  const value = parseJsonLine(text);
  return isJsonObject(value) && !isApiError(value);
};

/** The first object of a text that may be cut, as far as the last thing in it that is whole. */
export function parseObjectHead(text: string): JsonObject | undefined {
  const open: string[] = [];
  // Behind the last thing that has an end, others only begin: what was open there is open still.
  let [end, stillOpen] = [0, 0];
  for (const { 0: sign, index } of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/g)) {
    if (sign === '{') open.push('}');
    else if (sign === '[') open.push(']');
    else if (sign === '}' || sign === ']') {
      open.pop();
      [end, stillOpen] = [index + 1, open.length];
      if (open.length === 0) break;
    }
  }
  const closers = open.slice(0, stillOpen).reverse().join('');
  const value = parseJsonLine(text.slice(0, end) + closers);
  return isJsonObject(value) && !isApiError(value) ? value : undefined;
}

/** The lists of objects within an object, the one that says most first. */
export function findLists(object: JsonObject): FoundList[] {
  const found: FoundList[] = [];
  const visit = (value: JsonValue, path: readonly string[]) => {
    if (isJsonObject(value) && path.length < DEPTH_MAX)
      for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
    else if (Array.isArray(value) && isJsonObject(value[0]))
      found.push({ path: path.join('.'), items: value.filter((item) => isJsonObject(item)) });
  };
  visit(object, []);
  const sizeOf = ({ items }: FoundList) => JSON.stringify(items).length;
  return found.sort((a, b) => sizeOf(b) - sizeOf(a));
}
