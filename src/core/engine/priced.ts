import { aroundEach } from '../base/around-each.ts';
import type { EventOperations } from './engine.ts';

/**
 * The operations, with what a question costs taken before it is asked. Every method is a question, but for
 * those that are named here. What has no price over HTTP has none here: an explanation for which no events
 * have to be read. Each question rejects as `take` does.
 */
export function pricedOperations(operations: EventOperations, take: () => Promise<unknown>): EventOperations {
  const { knowsProperties, zones, ...methods } = operations;
  const priced = aroundEach(methods, async (ask) => {
    await take();
    return ask();
  });
  return {
    ...priced,
    ...{ knowsProperties, zones },
    requireArrivals: () => operations.requireArrivals(),
    append: (...given) => operations.append(...given),
    erase: (...given) => operations.erase(...given),
    explain: (...asked) => (knowsProperties ? operations : priced).explain(...asked),
    async *export(...asked) {
      await take();
      yield* operations.export(...asked);
    },
  };
}
