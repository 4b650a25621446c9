import { invalid } from '../base/errors.ts';
import type { Zones } from '../bounds/zones.ts';
import { createFilterBudget } from '../filter/parse-filter.ts';
import { parsePath } from '../filter/path.ts';
import { selectWithin, toCondition, toRange, toSeries, zoneOf } from './parse-query.ts';
import { type AskedRetention } from './retention.ts';
import { validateRetentionBody } from './validate.ts';

/** How many periods a body without `periods` asks for. */
const PERIODS_DEFAULT = 8;

/** Parses the body of a retention. Throws ApiError (400) if it is not valid. */
export function parseRetentionBody(body: unknown, zones?: Zones): AskedRetention {
  const valid = validateRetentionBody(body);
  const budget = createFilterBudget();
  const zone = zoneOf(valid, zones);
  const range = toRange(valid, zone);
  const selected = toCondition(valid, '', budget);
  const steps = valid.steps.map((step, i) => toCondition(step, `steps[${i}].`, budget));
  const { unit, periodsFrom = 'calendar', periods = PERIODS_DEFAULT } = valid;
  if (periodsFrom === 'start' && unit === 'month')
    throw invalid('periodsFrom', 'months have no length of their own; use day or week, or the calendar');
  return {
    // Who returns may do so at any time after the range.
    query: selectWithin({ from: range.from, until: Infinity }, selected),
    streams: {
      distinct: parsePath(valid.distinct ?? 'userId', 'distinct'),
      bits: steps,
      isWhole: false,
      same: [],
      by: undefined,
      missing: { range, first: steps.length },
    },
    series: toSeries(unit, range, zone),
    ...{ range, periodsFrom, periods },
  };
}
