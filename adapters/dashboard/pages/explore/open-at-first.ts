/** How many levels of objects are open at first, and how many entries of all of them together. */
const OPEN_LEVELS = 3;
const OPEN_ENTRIES = 300;

/** The first entries of a list or an object. */
function entriesOf(value: object, most: number): readonly unknown[] {
  if (Array.isArray(value)) return value.slice(0, most);
  const keys = Object.keys(value).slice(0, most);
  return keys.map((key) => (value as Readonly<Record<string, unknown>>)[key]);
}

/** How many entries a list or an object has. */
export const sizeOf = (value: object): number =>
  Array.isArray(value) ? value.length : Object.keys(value).length;

/**
 * The lists and objects of a value that are open at first: the outer ones before the inner ones, as long as
 * there is room for the first entries of each. The value itself always is.
 */
export function openAtFirst(value: object, first: number): ReadonlySet<object> {
  const open = new Set([value]);
  let left = OPEN_ENTRIES;
  let level: readonly object[] = [value];
  for (let depth = 0; depth < OPEN_LEVELS; depth++) {
    const next: object[] = [];
    for (const each of level) {
      const entries = entriesOf(each, first);
      if (each !== value && entries.length > left) continue;
      open.add(each);
      left -= entries.length;
      for (const within of entries) if (typeof within === 'object' && within !== null) next.push(within);
    }
    level = next;
  }
  return open;
}
