import { expect, it } from 'vitest';
import { createAsk } from '../../../../src/core/columns/sources/question.ts';
import { pinOrder } from '../../../../src/core/columns/parts/pinned-order.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { countingPacer, eventsWith, logOf, orderOf } from '../fixtures.ts';

it('unpins the rows when the question has ended: the next ones come into the same array', async () => {
  const log = logOf(eventsWith(new Array(100).fill(1)));
  const order = orderOf(log);
  const ask = createAsk(createMemoryBudget({ bytesMax: 2 ** 20 }), 'tenant');
  const rows = await ask(
    countingPacer(),
    async (question) => (await pinOrder(order, 100, question)).pinned.rows,
  );
  log.append(eventsWith([1], 100));
  while (order.indexedRows < 101) order.indexStep(101);
  expect(order.pin().rows).toBe(rows);
});
