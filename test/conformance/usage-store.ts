import * as fc from 'fast-check';
import { USAGE_DAYS_MAX, type UsageDay, type UsageStore } from '../../src/store-kit.ts';
import {
  describeSuite,
  newTenantId,
  type CreateFixture,
  type SuiteOptions,
  type TestRunner,
} from './runner.ts';

const NAMES = ['requests', 'refused', 'limited', 'events', 'rejected', 'bytes'] as const;
const DAY_MS = 86_400_000;
const dayOf = (i: number) => new Date(i * DAY_MS).toISOString().slice(0, 10);

/** A day whose counts are all of this size. */
const flat = (day: string, count: number): UsageDay => ({
  ...{ day, requests: count, refused: count, limited: count, events: count, rejected: count, bytes: count },
});

const count = fc.integer({ min: 0, max: 2 ** 40 });
const days: fc.Arbitrary<readonly UsageDay[]> = fc.uniqueArray(
  fc.record({
    day: fc.constantFrom('1970-01-01', '2024-02-29', '2024-03-01', '2099-12-31'),
    ...{ requests: count, refused: count, limited: count, events: count, rejected: count, bytes: count },
  }),
  { selector: ({ day }) => day, maxLength: 4 },
);

/** One thing done to a store of usage. */
type Step =
  | { readonly kind: 'add'; readonly tenant: number; readonly days: readonly UsageDay[] }
  | { readonly kind: 'erase'; readonly tenant: number };

const tenant = fc.nat({ max: 1 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), tenant, days }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), tenant }) },
);

/** What a store should hold: one row for each day. */
type Model = Map<string, UsageDay>;

function take(model: Model, step: Step): void {
  if (step.kind === 'erase') return model.clear();
  for (const more of step.days) {
    const known = model.get(more.day) ?? flat(more.day, 0);
    const sums = NAMES.map((name) => [name, known[name] + more[name]] as const);
    model.set(more.day, { ...more, ...(Object.fromEntries(sums) as Omit<UsageDay, 'day'>) });
  }
}

const expectedOf = (model: Model, from: string) =>
  [...model.values()].filter(({ day }) => day >= from).sort((a, b) => (a.day < b.day ? -1 : 1));

/** Proves that a store of usage adds up as a map of days would, and keeps the newest 400. */
export function testUsageStore(
  name: string,
  create: CreateFixture<UsageStore>,
  runner: TestRunner,
  options: SuiteOptions = {},
): void {
  describeSuite(`usage store: ${name}`, create, runner, options, ({ test, check, expect }) => {
    test('any steps leave what they would leave in a map', ({ store }) =>
      check(
        fc.array(steps, { maxLength: 12 }),
        async (todo) => {
          const tenants = [newTenantId(), newTenantId()];
          const models = [new Map<string, UsageDay>(), new Map<string, UsageDay>()];
          for (const step of todo) {
            const id = tenants[step.tenant]!;
            take(models[step.tenant]!, step);
            await (step.kind === 'add' ? store.add(id, step.days) : store.erase(id));
          }
          for (const [i, id] of tenants.entries())
            for (const from of ['0000-01-01', '2024-03-01', '2024-03-02'])
              expect(await store.list(id, from)).toEqual(expectedOf(models[i]!, from));
        },
        0.3,
      ));

    test('of what is added at once nothing is lost', async ({ store }) => {
      const id = newTenantId();
      const both = ['2024-03-01', '2024-03-02'];
      const add = (amount: number) =>
        store.add(
          id,
          (amount % 2 === 0 ? both : [...both].reverse()).map((day) => flat(day, amount)),
        );
      await Promise.all(Array.from({ length: 20 }, (_, i) => add(i + 1)));
      expect(await store.list(id, '2024-03-01')).toEqual(both.map((day) => flat(day, 210)));
    });

    test('the newest 400 days are kept, of each tenant its own', async ({ store }) => {
      const [id, other] = [newTenantId(), newTenantId()];
      await store.add(other, [flat(dayOf(0), 3)]);
      const all = Array.from({ length: USAGE_DAYS_MAX + 2 }, (_, i) => flat(dayOf(2 * i), i + 1));
      await store.add(id, all.slice(0, USAGE_DAYS_MAX));
      expect(await store.list(id, dayOf(0))).toEqual(all.slice(0, USAGE_DAYS_MAX));
      await store.add(id, all.slice(USAGE_DAYS_MAX));
      expect(await store.list(id, dayOf(0))).toEqual(all.slice(2));
      // A day that is older than all of these has no room.
      await store.add(id, [flat(dayOf(1), 9)]);
      expect(await store.list(id, dayOf(0))).toEqual(all.slice(2));
      expect(await store.list(other, dayOf(0))).toEqual([flat(dayOf(0), 3)]);
    });

    test('usage is there after a restart', async ({ store, reopen }) => {
      if (reopen === undefined) return;
      const id = newTenantId();
      await store.add(id, [flat('2024-03-01', 5)]);
      expect(await (await reopen()).list(id, '2024-03-01')).toEqual([flat('2024-03-01', 5)]);
    });
  });
}
