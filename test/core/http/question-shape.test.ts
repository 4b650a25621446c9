import { expect, it } from 'vitest';
import { toShape } from '../../../src/core/http/question-shape.ts';
import { parseTopBody } from '../../../src/core/query/parse-query.ts';
import { parseBreakdownBody } from '../../../src/store-kit.ts';

const filterSet = [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }] as const;

it('the paths of a question are those that it compares, groups by or takes numbers from', () => {
  const measures = [{ of: 'properties.total', take: ['sum'] as const }];
  const paths = (parsed: unknown) => toShape(parsed)?.paths;
  expect(paths(parseBreakdownBody({ by: 'day', distinct: 'userId', measures, filterSet }))).toEqual([
    ...['properties.plan', 'eventTs', 'userId', 'properties.total'],
  ]);
  expect(paths(parseBreakdownBody({ by: 'properties.plan' }))).toEqual(['properties.plan']);
  // Without groups, all events are measured together.
  expect(paths(parseBreakdownBody({ measures }))).toEqual(['properties.total']);
  expect(paths(parseTopBody({ of: 'properties.total', filterSet }))).toEqual([
    ...['properties.plan', 'properties.total'],
  ]);
});
