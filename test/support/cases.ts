const PERCENT = Number(process.env.EVENT_QUERY_RUNS ?? 100);

/**
 * How many cases a random test tries, of those that it has: `npm test` tries some, `npm run conformance` and
 * the mutants all.
 */
export function casesOf(all: number): number {
  return Math.ceil((all * PERCENT) / 100);
}
