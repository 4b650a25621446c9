import { expect, it } from 'vitest';
import { fromEditionId, LOGS_MAX, toEditionId } from '../../../adapters/sqlite/log/log-name.ts';

it('an edition of a log has a number of its own, which tells both', () => {
  for (const number of [1, 2, LOGS_MAX - 1]) {
    for (const edition of [0, 1, 2, 1_000_000]) {
      expect(fromEditionId(toEditionId({ number, edition }))).toEqual({ number, edition });
    }
  }
});
