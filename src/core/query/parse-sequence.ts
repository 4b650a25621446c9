import { invalid } from '../base/errors.ts';
import type { Zones } from '../bounds/zones.ts';
import { createFilterBudget } from '../filter/parse-filter.ts';
import { parsePath } from '../filter/path.ts';
import type { SequenceBody } from './body.ts';
import type { TimeSeries } from './grouping.ts';
import { parsePercentile, refuseRepeat } from './measures.ts';
import { selectWithin, toCondition, toGroups, toRange, zoneOf } from './parse-query.ts';
import { parseWithin, type AskedExclusion, type AskedPercentile, type AskedSequence } from './sequence.ts';
import { validateSequenceBody } from './validate.ts';

/** Parses the body of a sequence. Throws ApiError (400) if it is not valid. */
export function parseSequenceBody(body: unknown, zones?: Zones): AskedSequence {
  const valid = validateSequenceBody(body);
  const budget = createFilterBudget();
  const zone = zoneOf(valid, zones);
  const range = toRange(valid, zone);
  const within = valid.within === undefined ? Infinity : parseWithin(valid.within);
  const selected = toCondition(valid, '', budget);
  const steps = valid.steps.map((step, i) => toCondition(step, `steps[${i}].`, budget));
  const exclusions = (valid.without ?? []).map((each, i) => toCondition(each, `without[${i}].`, budget));
  const isStrict = valid.order === 'strict';
  const { by, size } = valid.by === undefined ? { by: undefined, size: 0 } : toGroups(valid.by, valid, zone);
  return {
    query: selectWithin({ from: range.from, until: range.until + within }, selected),
    streams: {
      distinct: parsePath(valid.distinct ?? 'userId', 'distinct'),
      bits: [...steps, ...exclusions],
      isWhole: isStrict,
      same: toPaths(valid.same ?? [], 'same'),
      by: by === undefined || isSeries(by) ? undefined : by,
      missing: { range, first: steps.length },
    },
    ...{ steps: steps.length, range, within, isStrict, by, size },
    without: toExclusions(valid),
    percentiles: toPercentiles(valid.percentiles ?? []),
  };
}

function isSeries(by: AskedSequence['by']): by is TimeSeries {
  return by !== undefined && 'unit' in by;
}

/** The exclusions of a sequence; `where` stands before the names of its fields. Throws ApiError (400). */
export function toExclusions(
  { steps, order, without = [] }: Pick<SequenceBody, 'steps' | 'order' | 'without'>,
  where = '',
): AskedExclusion[] {
  if (order === 'strict' && without.length > 0)
    throw invalid(
      `${where}without`,
      'excludes nothing where the order is strict: no event is between two steps',
    );
  return without.map(({ after }, i) => {
    if (after < steps.length) return { after, bit: 1 << (steps.length + i) };
    const takes = `takes the number of a step that another follows, 1 to ${steps.length - 1}`;
    const right = steps.length === 1 ? 'excludes nothing in a sequence of one step' : takes;
    throw invalid(`${where}without[${i}].after`, `${right}; got ${after}`);
  });
}

/** The paths of a key of the body, each once. Throws ApiError (400). */
export function toPaths(paths: readonly string[], where: string) {
  return paths.map((path, i) => {
    refuseRepeat(paths, i, `${where}[${i}]`, 'path');
    return parsePath(path, `${where}[${i}]`);
  });
}

function toPercentiles(names: readonly string[]): AskedPercentile[] {
  return names.map((name, i) => {
    refuseRepeat(names, i, `percentiles[${i}]`, 'percentile');
    return parsePercentile(name, `percentiles[${i}]`);
  });
}
