import { describe, expect, it } from 'vitest';
import { parseSequenceBody } from '../../../src/core/query/parse-sequence.ts';

const AB = [{ event: 'a' }, { event: 'b' }];

describe('a sequence is refused with where it is wrong and what would be right', () => {
  const wide = {
    filterSet: Array.from({ length: 51 }, () => ({ property: 'userId', comparison: 'IS_NULL', value: null })),
  };
  it.each([
    [{}, 'steps: takes an array of 1 to 10 steps {"event", "filterSet"}, got nothing'],
    [{ steps: [] }, 'steps: takes an array of 1 to 10 steps {"event", "filterSet"}, got an empty array'],
    [{ steps: Array.from({ length: 11 }, () => ({})) }, 'steps: takes an array of 1 to 10 steps'],
    [{ steps: [{ name: 'a' }] }, 'steps[0]: unknown key "name"; use one of event, filterSet'],
    [{ steps: [{ event: 'a\u0000' }] }, 'steps[0].event: must be well-formed Unicode'],
    [
      { steps: [{}, { filterSet: [{ property: 'total', comparison: 'EQUALS', value: 1 }] }] },
      'steps[1].filterSet[0].property: ',
    ],
    [{ steps: [wide, wide] }, 'steps[1].filterSet[49]: a filterSet takes at most 100 filters'],
    [
      { steps: [wide, {}], without: [{ after: 1, ...wide }] },
      'without[0].filterSet[49]: a filterSet takes at most 100 filters',
    ],
    [{ steps: AB, within: '7' }, 'within: takes a length of time of at most ten years, such as 30s'],
    [{ steps: AB, within: '-1d' }, 'within: takes a length of time'],
    [{ steps: AB, within: '3654d' }, 'within: takes a length of time'],
    [{ steps: AB, within: '1.5h' }, 'within: takes a length of time'],
    [{ steps: AB, order: 'any' }, 'order: takes "strict": each step is the very next event'],
    [
      { steps: AB, order: 'strict', without: [{ after: 1 }] },
      'without: excludes nothing where the order is strict',
    ],
    [
      { steps: AB, without: [{ after: 2 }] },
      'without[0].after: takes the number of a step that another follows, 1 to 1; got 2',
    ],
    [
      { steps: [{}], without: [{ after: 1 }] },
      'without[0].after: excludes nothing in a sequence of one step',
    ],
    [
      { steps: AB, without: [{ event: 'x' }] },
      'without[0].after: takes the number of the step before, from 1, got nothing',
    ],
    [{ steps: AB, same: [] }, 'same: takes an array of 1 or 2 property paths, got an empty array'],
    [{ steps: AB, same: ['userId', 'userId'] }, 'same[1]: takes each path once, got "userId" again'],
    [{ steps: AB, same: ['plan'] }, 'same[0]: '],
    [{ steps: AB, distinct: 'user' }, 'distinct: '],
    [{ steps: AB, by: 'plan' }, 'by: takes a property path, lateness, or a unit of time'],
    [{ steps: AB, size: 0 }, 'size: takes a whole number from 1 to 1000'],
    [{ steps: AB, percentiles: ['median'] }, 'percentiles[0]: takes a percentile from p0 to p100'],
    [{ steps: AB, percentiles: ['p100.001'] }, 'percentiles[0]: takes a percentile from p0 to p100'],
    [
      { steps: AB, percentiles: ['p50', 'p50'] },
      'percentiles[1]: takes each percentile once, got "p50" again',
    ],
    [{ steps: AB, timeZone: 'Berlin' }, 'timeZone: takes UTC, or the name of a time zone'],
    [
      { steps: AB, by: 'minute', from: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' },
      'by: a minute cuts',
    ],
  ])('%#', (body, message) => {
    expect(() => parseSequenceBody(body)).toThrow(message);
  });
});

it('a sequence is about the events of its selection, until the last step may come', () => {
  const { query, range, within } = parseSequenceBody({
    ...{ steps: AB, within: '2h', from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
  });
  const [from, until] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  expect({ query, range, within }).toMatchObject({
    query: { from, until: until + 7_200_000 },
    range: { from, until },
    within: 7_200_000,
  });
  const open = parseSequenceBody({ steps: AB, until: '2026-01-02T00:00:00Z' });
  expect(open.query).toMatchObject({ from: -Infinity, until: Infinity });
});

it.each([
  ['0s', 0],
  ['90m', 5_400_000],
  ['3653d', 315_619_200_000],
  ['521w', 315_100_800_000],
])('%s is %d milliseconds', (within, ms) => {
  expect(parseSequenceBody({ steps: AB, within }).within).toBe(ms);
});
