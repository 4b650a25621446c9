import { invalid } from '../base/errors.ts';
import type { Zones } from '../bounds/zones.ts';
import type { Condition } from '../filter/condition.ts';
import { createFilterBudget, type FilterBudget } from '../filter/parse-filter.ts';
import { parsePath } from '../filter/path.ts';
import { PAGE_SIZE_DEFAULT, type HavingBody, type ReachBody } from './body.ts';
import { selectWithin, toCondition, toRange, zoneOf } from './parse-query.ts';
import { toExclusions, toPaths } from './parse-sequence.ts';
import { parseWithin } from './sequence.ts';
import {
  fingerprintOf,
  parseUsersCursor,
  type AskedHaving,
  type AskedReach,
  type AskedUsers,
} from './users.ts';
import { validateUsersBody } from './validate.ts';

/** Parses the body of a question about users. Throws ApiError (400) if it is not valid. */
export function parseUsersBody(body: unknown, zones?: Zones): AskedUsers {
  const valid = validateUsersBody(body);
  const budget = createFilterBudget();
  const range = toRange(valid, zoneOf(valid, zones));
  const selected = toCondition(valid, '', budget);
  const bits = valid.sequence === undefined ? [] : toBits(valid.sequence, budget);
  const sequence = valid.sequence === undefined ? undefined : toReach(valid.sequence, range);
  const having = (valid.having ?? []).map((each, i) => {
    bits.push(toCondition(each, `having[${i}].`, budget));
    return toHaving(each, 2 ** (bits.length - 1), `having[${i}]`);
  });
  const asked = {
    query: selectWithin({ from: range.from, until: range.until + (sequence?.within ?? 0) }, selected),
    streams: {
      distinct: parsePath(valid.distinct ?? 'userId', 'distinct'),
      bits,
      isWhole: true,
      same: toPaths(valid.sequence?.same ?? [], 'sequence.same'),
      by: undefined,
      missing: { range, first: 0 },
    },
    ...{ range, having, sequence },
  };
  const { size = PAGE_SIZE_DEFAULT, cursor } = valid.pagination ?? {};
  const fingerprint = fingerprintOf(asked);
  const after = cursor === undefined ? undefined : parseUsersCursor(cursor, fingerprint, 'pagination.cursor');
  return { ...asked, fingerprint, size, after };
}

function toBits({ steps, without = [] }: ReachBody, budget: FilterBudget): Condition[] {
  return [
    ...steps.map((step, i) => toCondition(step, `sequence.steps[${i}].`, budget)),
    ...without.map((each, i) => toCondition(each, `sequence.without[${i}].`, budget)),
  ];
}

function toReach(body: ReachBody, range: AskedUsers['range']): AskedReach {
  const { steps, within, order, reached, stopped } = body;
  if ((reached === undefined) === (stopped === undefined))
    throw invalid('sequence', 'takes either reached, that step or further, or stopped, exactly at that step');
  const name = reached === undefined ? 'stopped' : 'reached';
  const least = (reached ?? stopped)!;
  if (least > steps.length)
    throw invalid(`sequence.${name}`, `takes the number of a step, 1 to ${steps.length}; got ${least}`);
  return {
    ...{ steps: steps.length, range, isStrict: order === 'strict' },
    within: within === undefined ? Infinity : parseWithin(within, 'sequence.within'),
    without: toExclusions(body, 'sequence.'),
    ...{ least, most: stopped ?? steps.length },
  };
}

function toHaving({ atLeast, atMost }: HavingBody, bit: number, where: string): AskedHaving {
  if (atLeast === undefined && atMost === undefined)
    throw invalid(where, 'takes atLeast, atMost or both: how many events');
  return { bit, atLeast: atLeast ?? 0, atMost: atMost ?? Infinity };
}
