import { expect, it } from 'vitest';
import { CHUNKS_FIRST, fromChunksId, LOGS_MAX, toChunksId } from '../../../adapters/sqlite/log/log-name.ts';

it('the chunks of a version of a log have a number of their own, which tells both', () => {
  for (const number of [1, 2, LOGS_MAX - 1]) {
    for (const version of [0, 1, 2, 1_000_000]) {
      const id = toChunksId({ number, version });
      expect(fromChunksId(id)).toEqual({ number, version });
      expect([Number.isSafeInteger(id), id >= CHUNKS_FIRST]).toEqual([true, true]);
    }
  }
});
