import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseUsersBody } from '../../../src/core/query/parse-users.ts';
import { toUsersCursor } from '../../../src/core/query/users.ts';

const AB = [{ event: 'a' }, { event: 'b' }];

it.each([
  [{ having: [{ event: 'a' }] }, 'having[0]: takes atLeast, atMost or both: how many events'],
  [{ having: [{ atLeast: -1 }] }, 'having[0].atLeast: takes a whole number of 0 or more'],
  [{ having: [{ atLeast: 1.5 }] }, 'having[0].atLeast: takes a whole number of 0 or more'],
  [
    { having: Array.from({ length: 11 }, () => ({ atMost: 0 })) },
    'having: takes an array of at most 10 objects',
  ],
  [{ having: [{ event: 'a\u0000', atMost: 0 }] }, 'having[0].event: must be well-formed Unicode'],
  [{ sequence: { steps: AB } }, 'sequence: takes either reached, that step or further, or stopped'],
  [{ sequence: { steps: AB, reached: 1, stopped: 1 } }, 'sequence: takes either reached'],
  [{ sequence: { steps: AB, reached: 3 } }, 'sequence.reached: takes the number of a step, 1 to 2; got 3'],
  [{ sequence: { steps: AB, stopped: 3 } }, 'sequence.stopped: takes the number of a step, 1 to 2; got 3'],
  [{ sequence: { steps: AB, reached: 0 } }, 'sequence.reached: takes the number of a step, from 1'],
  [{ sequence: { steps: AB, reached: 1, within: '7' } }, 'sequence.within: takes a length of time'],
  [
    { sequence: { steps: AB, reached: 1, without: [{ after: 2 }] } },
    'sequence.without[0].after: takes the number of a step that another follows',
  ],
  [
    { sequence: { steps: AB, reached: 1, same: ['userId', 'userId'] } },
    'sequence.same[1]: takes each path once',
  ],
  [{ pagination: { size: 1001 } }, 'pagination.size: takes a whole number from 1 to 1000'],
  [{ pagination: { offset: 1 } }, 'pagination: unknown key "offset"'],
  [
    { pagination: { cursor: 'x' } },
    'pagination.cursor: takes the X-Next-Cursor of the page before, unchanged',
  ],
  [{ pagination: { cursor: '2.abc.%E0%A4%A' } }, 'pagination.cursor: takes the X-Next-Cursor'],
  [{ pagination: { cursor: '2.abc.%5B1%5D' } }, 'pagination.cursor: takes the X-Next-Cursor'],
  [{ pagination: { cursor: '2.abc.1' } }, 'pagination.cursor: belongs to another question'],
])('a question about users is refused with what would be right: %#', (body, message) => {
  expect(() => parseUsersBody(body)).toThrow(message);
});

it.each(['ada', '', '1', 1, -0.5, 1e308, true, false, 'a.b%\n"\u{1f600}'])(
  'a cursor continues behind %j',
  (key) => {
    const body = { having: [{ event: 'a', atLeast: 1 }], from: '2026-01-01T00:00:00Z' };
    const cursor = toUsersCursor(parseUsersBody(body), key);
    expect(cursor).toMatch(/^[\x21-\x7e]+$/);
    expect(parseUsersBody({ ...body, pagination: { cursor, size: 3 } })).toMatchObject({
      after: key,
      size: 3,
    });
    const other = { ...body, having: [{ event: 'a', atLeast: 2 }] };
    expect(() => parseUsersBody({ ...other, pagination: { cursor } })).toThrow('belongs to another question');
  },
);

it('a cursor of any key is read again, or the key is refused as too long for one', () => {
  const asked = parseUsersBody({ distinct: 'properties.p' });
  const letters = fc.constantFrom('a', '"', '\u0001', '%', 'é', '€', '\u{1f600}');
  const keys = fc
    .tuple(letters, fc.integer({ min: 1, max: 4000 }))
    .map(([letter, times]) => letter.repeat(times));
  const read = (key: string) => {
    const cursor = toUsersCursor(asked, key);
    expect(cursor.length).toBeLessThan(3100);
    const page = { distinct: 'properties.p', pagination: { cursor } };
    expect(parseUsersBody(page).after).toBe(key);
  };
  fc.assert(
    fc.property(keys, (key) => {
      if (encodeURIComponent(JSON.stringify(key)).length <= 3072) read(key);
      else expect(() => toUsersCursor(asked, key)).toThrow('distinct: a page ends with a value of ');
    }),
  );
  // As long as an ID of a user can be.
  for (const letter of ['a', '"', '\u007f', '€']) read(letter.repeat(256));
});

it('counts are about the dates of the body, and steps may be behind them', () => {
  const asked = parseUsersBody({
    until: '2026-01-02T00:00:00Z',
    sequence: { steps: AB, within: '1d', stopped: 1 },
    having: [{ event: 'c', atLeast: 2, atMost: 4 }],
  });
  const until = Date.UTC(2026, 0, 2);
  expect(asked).toMatchObject({
    query: { until: until + 86_400_000 },
    range: { until },
    having: [{ bit: 4, atLeast: 2, atMost: 4 }],
    sequence: { steps: 2, least: 1, most: 1 },
    size: 100,
    after: undefined,
  });
});
