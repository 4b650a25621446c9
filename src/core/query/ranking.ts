import { invalid } from '../base/errors.ts';
import { quote } from '../event/text.ts';
import { EVENT_FIELDS, parsePath, type FilterPath } from '../filter/path.ts';

/** Which numbers come first. */
export const RANKING_ORDERS = ['largest', 'smallest'] as const;
/** Which numbers come first. */
export type RankingOrder = (typeof RANKING_ORDERS)[number];

/** What `of` takes, for error messages. */
export const RANKED_WORDS = 'a path below properties';

/**
 * Which of the matching events are returned: those with the first numbers at a path, in the order of the
 * numbers. Events with equal numbers are in the order of pages. Only JSON numbers count; events without one
 * are left out.
 */
export interface Ranking {
  /** The path of the numbers, below `properties`. */
  readonly of: FilterPath;
  /** Which numbers come first. */
  readonly order: RankingOrder;
  /** How many events are returned at most, 1 to 1000. */
  readonly size: number;
}

/** Compares numbers: negative where the first one comes before the second. */
export function compareRanked(order: RankingOrder): (a: number, b: number) => number {
  return order === 'largest' ? (a, b) => b - a : (a, b) => a - b;
}

/** Parses the path of the numbers. Throws ApiError (400) for any path that is not below `properties`. */
export function parseRankedPath(of: string): FilterPath {
  if (of.startsWith('properties.')) return parsePath(of, 'of');
  const isField = EVENT_FIELDS.some((field) => field === of);
  const hint = isField ? '' : `; did you mean ${quote(`properties.${of}`)}?`;
  throw invalid('of', `takes ${RANKED_WORDS}, where numbers are; got ${quote(of)}${hint}`);
}
