import { invalid } from '../base/errors.ts';
import type { Zones } from '../bounds/zones.ts';
import { toAll, toDuring, toNot } from '../filter/condition.ts';
import { createFilterBudget } from '../filter/parse-filter.ts';
import type { FilterPath } from '../filter/path.ts';
import { DIFFERENCES_SIZE_DEFAULT, type AskedCompare } from './compare.ts';
import { selectWithin, toCondition, toRange, zoneOf } from './parse-query.ts';
import { toPaths } from './parse-sequence.ts';
import { validateCompareBody } from './validate.ts';

/** Parses the body of a question about what differs. Throws ApiError (400) if it is not valid. */
export function parseCompareBody(body: unknown, zones?: Zones): AskedCompare {
  const valid = validateCompareBody(body);
  const { selected, paths, event, size = DIFFERENCES_SIZE_DEFAULT } = valid;
  const budget = createFilterBudget();
  const zone = zoneOf(valid, zones);
  const range = toRange(valid, zone);
  const all = toCondition(valid, '', budget);
  const isSelected = toAll([
    toDuring([toRange(selected, zone, 'selected.')]),
    toCondition(selected, 'selected.', budget),
  ]);
  return {
    query: selectWithin(range, all),
    selected: selectWithin(range, toAll([all, isSelected])),
    baseline: selectWithin(range, toAll([all, toNot(isSelected)])),
    paths: paths === undefined ? undefined : toSharedPaths(paths),
    ...{ isSelected, event, size },
  };
}

/** The fields of which hardly two events have the same value, so that no share of one says anything. */
const UNSHARED: readonly string[] = ['insertId', 'eventTs', 'receivedAt'];

function toSharedPaths(texts: readonly string[]): readonly FilterPath[] {
  const place = texts.findIndex((text) => UNSHARED.includes(text));
  if (place === -1) return toPaths(texts, 'paths');
  const takes = `takes a path at which many events have the same value, not ${texts[place]}`;
  throw invalid(`paths[${place}]`, takes);
}
