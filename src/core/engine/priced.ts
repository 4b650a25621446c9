import type { EventOperations } from './engine.ts';

/**
 * The operations, with what a question costs taken before it is asked. What has no price over HTTP has none
 * here: an explanation for which no events have to be read. Each question rejects as `take` does.
 */
export function pricedOperations(operations: EventOperations, take: () => Promise<unknown>): EventOperations {
  const priced = async <T>(ask: () => Promise<T>): Promise<T> => {
    await take();
    return ask();
  };
  return {
    ...operations,
    query: (...asked) => priced(() => operations.query(...asked)),
    count: (...asked) => priced(() => operations.count(...asked)),
    breakdown: (...asked) => priced(() => operations.breakdown(...asked)),
    sequence: (...asked) => priced(() => operations.sequence(...asked)),
    top: (...asked) => priced(() => operations.top(...asked)),
    properties: (...asked) => priced(() => operations.properties(...asked)),
    explain: (...asked) =>
      operations.knowsProperties ? operations.explain(...asked) : priced(() => operations.explain(...asked)),
    since: (...asked) => priced(() => operations.since(...asked)),
    waitSince: (...asked) => priced(() => operations.waitSince(...asked)),
    async *export(...asked) {
      await take();
      yield* operations.export(...asked);
    },
    eventNames: (...asked) => priced(() => operations.eventNames(...asked)),
  };
}
