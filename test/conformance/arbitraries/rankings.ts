import * as fc from 'fast-check';
import { parseTopBody } from '../../../src/core/query/parse-query.ts';
import { RANKING_ORDERS, type Ranking } from '../../../src/core/query/ranking.ts';
import type { EventQuery, StoredEvent } from '../../../src/store-kit.ts';
import { measuredPaths } from './measurings.ts';
import { queries } from './queries.ts';

/** A query, and which of its events come first. */
export interface RankedExample {
  readonly query: EventQuery;
  readonly ranking: Ranking;
}

const rankings: fc.Arbitrary<Ranking> = fc
  .record({
    of: measuredPaths,
    order: fc.constantFrom(...RANKING_ORDERS),
    size: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 100, 1000)),
  })
  .map((body) => parseTopBody(body).ranking);

/** Queries of some events, and which of their numbers come first. */
export function rankedExamples(events: readonly StoredEvent[]): fc.Arbitrary<RankedExample> {
  return fc.record({ query: queries(events), ranking: rankings });
}
