import { expect, it } from 'vitest';
import { toShape } from '../../../src/core/http/question-shape.ts';
import { parseCompareBody } from '../../../src/core/query/parse-compare.ts';
import { parseTopBody } from '../../../src/core/query/parse-query.ts';
import { parseRetentionBody } from '../../../src/core/query/parse-retention.ts';
import { parseSequenceBody } from '../../../src/core/query/parse-sequence.ts';
import { parseUsersBody } from '../../../src/core/query/parse-users.ts';
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

it('so are those of steps, of conditions on users, of selected events and of what differs', () => {
  const step = (name: string) => ({ filterSet: [{ ...filterSet[0], property: `properties.${name}` }] });
  const of = (...names: string[]) => names.map((name) => `properties.${name}`);
  const [steps, distinct, during] = [[step('a'), step('b')], 'properties.u', { after: '2024-05-01' }];
  const within = { ...during, before: '2024-05-03', filterSet };
  const sequence = { steps, distinct, without: [{ after: 1, ...step('c') }], same: of('s'), by: of('by')[0] };
  expect(toShape(parseSequenceBody({ ...within, ...sequence, within: '7d' }))).toMatchObject({
    ...{ filters: 4, paths: of('plan', 'a', 'b', 'c', 'u', 's', 'by'), operators: ['EQUALS'], days: 3 },
  });
  expect(toShape(parseUsersBody({ distinct, having: [{ ...step('a'), atLeast: 1 }] }))).toMatchObject({
    ...{ filters: 1, paths: of('a', 'u'), days: undefined },
  });
  expect(toShape(parseRetentionBody({ ...within, steps, unit: 'day', distinct }))).toMatchObject({
    ...{ filters: 3, paths: [...of('plan', 'a', 'b', 'u'), 'eventTs'], days: 3 },
  });
  expect(toShape(parseCompareBody({ ...within, selected: step('a'), paths: of('v', 'w') }))).toMatchObject({
    ...{ filters: 2, paths: of('plan', 'a', 'v', 'w'), days: 3 },
  });
});
