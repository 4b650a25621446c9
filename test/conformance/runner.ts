import * as fc from 'fast-check';

/** The functions of a test runner that the suites need; vitest, jest and node:test have them in this form. */
export interface TestRunner {
  /** Puts the tests of a suite below a title. */
  readonly describe: (name: string, define: () => void) => unknown;
  /** Adds a test, which fails where its promise rejects. */
  readonly it: (name: string, run: () => Promise<void>) => unknown;
  /** For node:test: `(actual) => ({ toEqual: (expected) => assert.deepEqual(actual, expected) })`. */
  readonly expect: (actual: unknown) => { toEqual(expected: unknown): unknown };
}

/** A store under test. */
export interface Fixture<Store> {
  /** The store, empty or without anything that the suite can meet. */
  readonly store: Store;
  /** Releases what the store holds; called when a test has ended, however it ended. */
  readonly close?: () => Promise<void> | void;
  /** For stores that last: ends the store as a restart would, and opens what it kept. */
  readonly reopen?: () => Promise<Store> | Store;
}

/** Makes an empty store, or one whose contents the suite cannot meet. */
export type CreateFixture<Store> = () => Promise<Fixture<Store>> | Fixture<Store>;

/** How a suite runs. */
export interface SuiteOptions {
  /**
   * Repeats a run: a whole number of 32 bits. Default: the environment's `EVENT_QUERY_SEED`, else chance. The
   * title of the suite shows it.
   */
  readonly seed?: number;
  /**
   * How many random examples the cheaper properties try; others try a share of it. Default: the environment's
   * `EVENT_QUERY_RUNS`, else 100.
   */
  readonly numRuns?: number;
  /** How many events the test of many events stores. Default 3,000. */
  readonly bulkEvents?: number;
  /**
   * Whether the store is so short of memory that it may refuse what is measured in many cells. What it
   * answers has to be right. Default: false.
   */
  readonly mayRefuse?: boolean;
}

/** What a suite's tests are written with. */
export interface Suite<Store> {
  /** Adds a test that gets a fixture of its own. */
  readonly test: (name: string, run: (fixture: Fixture<Store>) => Promise<void>) => void;
  /** Tries a property on random examples, `share` (0 to 1) of the suite's number of runs. */
  readonly check: <Example>(
    examples: fc.Arbitrary<Example>,
    property: (example: Example) => Promise<void>,
    share?: number,
  ) => Promise<void>;
  readonly expect: TestRunner['expect'];
  readonly seed: number;
  /** How many examples a property tries: few where a store is slow. */
  readonly numRuns: number;
}

/** Milliseconds for making a failing example smaller: it has to be told before the test runner gives up. */
const SHRINK_MS_MAX = 1000;

/** A property that ends the shrinking some time after an example has failed. */
function shrinkingBriefly<Example>(
  property: (example: Example) => Promise<void>,
): (example: Example) => Promise<void> {
  let failedAt: number | undefined;
  return async (example) => {
    if (failedAt !== undefined && Date.now() - failedAt > SHRINK_MS_MAX)
      throw new fc.PreconditionFailure(true);
    try {
      await property(example);
    } catch (error) {
      failedAt ??= Date.now();
      throw error;
    }
  };
}

/** Declares a suite: one `describe` whose title shows the seed. */
export function describeSuite<Store>(
  title: string,
  create: CreateFixture<Store>,
  { describe, it, expect }: TestRunner,
  { seed = seedOfEnvironment(), numRuns = runsOfEnvironment() }: SuiteOptions,
  define: (suite: Suite<Store>) => void,
): void {
  const suite: Suite<Store> = {
    test: (name, run) => {
      it(name, async () => {
        const fixture = await create();
        try {
          await run(fixture);
        } finally {
          await fixture.close?.();
        }
      });
    },
    check: (examples, property, share = 1) =>
      fc.assert(fc.asyncProperty(examples, shrinkingBriefly(property)), {
        seed,
        numRuns: Math.max(1, Math.round(numRuns * share)),
      }),
    expect,
    seed,
    numRuns,
  };
  describe(`${title} (EVENT_QUERY_SEED=${seed})`, () => {
    define(suite);
  });
}

function environment(name: string): string {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] ?? '';
}

function runsOfEnvironment(): number {
  const text = environment('EVENT_QUERY_RUNS');
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 100;
}

function seedOfEnvironment(): number {
  const text = environment('EVENT_QUERY_SEED');
  return /^-?\d{1,10}$/.test(text) ? Number(text) | 0 : Math.floor(Math.random() * 0x7fff_ffff);
}

let tenants = 0;

/** The id of a tenant that no other example has: a UUID. */
export function newTenantId(): string {
  tenants += 1;
  return `00000000-0000-4000-8000-${tenants.toString(16).padStart(12, '0')}`;
}
