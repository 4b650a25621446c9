import { nodeResources } from '../../adapters/node-http/index.ts';
import type { HttpHandler, Resources, Runtime, Scheduler, ServedApi } from '../../src/index.ts';

/** What a test says of its resources; the rest is Node's. */
export interface TestResources extends Partial<Omit<Resources, 'runtime'>> {
  /** A clock of the test, or randomness that it chooses. */
  readonly runtime?: Partial<Runtime>;
}

/** The resources of a test, whose log nobody reads unless it gives one. */
export function testResources({ runtime, ...given }: TestResources = {}): Resources {
  const own = nodeResources({ log: { info: () => undefined, error: () => undefined } });
  return { ...own, ...given, runtime: { ...own.runtime, ...runtime } };
}

/** A handler to be served with resources of a test. */
export const served = (handler: HttpHandler, given: TestResources = {}): ServedApi => ({
  handler,
  resources: testResources(given),
});

/** A scheduler in which every job goes on until it is done. */
export const AT_ONCE: Scheduler = {
  run: async (_owner, _signal, job) => job({ now: () => 0, yieldIfDue: () => Promise.resolve() }),
};
