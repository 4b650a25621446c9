/** The values of NDJSON. */
export function fromNdjson(ndjson: string): unknown[] {
  return ndjson.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]));
}

/** NDJSON of values. */
export function toNdjson(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
