import { describe, expect, it } from 'vitest';
import { parsePosition, toPositionText } from '../../../src/core/query/arrivals.ts';

describe('the text of a position', () => {
  it.each([
    { log: 0, row: 0 },
    { log: 7, row: 999_999_999_999_999 },
  ])('names $log and $row', (position) => {
    expect(parsePosition(toPositionText(position), 'position')).toEqual(position);
  });

  it.each(['', '1', '1.', '.1', ' 1.2', '1.2 ', '1.2x', '1.2.3', '-1.2', '1.0x2', '1.1234567890123456'])(
    'is refused where it is %j',
    (text) => {
      expect(() => parsePosition(text, 'position')).toThrow(/position/);
    },
  );
});
