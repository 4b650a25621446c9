const PLACE = '"the place"';

/** The JSON of arrays that nest so many levels. */
export function deepArrays(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** The JSON of objects that nest so many levels. */
export function deepObjects(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

/** The JSON of a record once for each of its values, and those of its objects, with other JSON there. */
export function* withEachValue(record: object, json: string): Generator<string> {
  for (const [key, held] of Object.entries(record) as [string, unknown][]) {
    const around = JSON.stringify({ ...record, [key]: JSON.parse(PLACE) as unknown });
    yield around.replace(PLACE, () => json);
    if (typeof held !== 'object' || held === null) continue;
    for (const inner of withEachValue(held, json)) yield around.replace(PLACE, () => inner);
  }
}
