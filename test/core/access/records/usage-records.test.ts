import * as fc from 'fast-check';
import { USAGE_DAYS_MAX, type UsageDay } from '../../../../src/core/access/usage.ts';
import { addTenant, describeRecords } from './fixtures.ts';

const NAMES = ['requests', 'refused', 'limited', 'events', 'rejected', 'bytes'] as const;
const DAY_MS = 86_400_000;
const dayOf = (i: number) => new Date(i * DAY_MS).toISOString().slice(0, 10);

/** A day whose counts are all of this size. */
const flat = (day: string, count: number): UsageDay => ({
  ...{ day, requests: count, refused: count, limited: count, events: count, rejected: count, bytes: count },
});

const count = fc.integer({ min: 0, max: 2 ** 40 });
/** Some counts, several of one day too. */
const days: fc.Arbitrary<readonly UsageDay[]> = fc.array(
  fc.record({
    day: fc.constantFrom('1970-01-01', '2024-02-29', '2024-03-01', '2099-12-31'),
    ...{ requests: count, refused: count, limited: count, events: count, rejected: count, bytes: count },
  }),
  { maxLength: 4 },
);

/** One thing done to records of usage. */
type Step =
  | { readonly kind: 'add'; readonly tenant: number; readonly days: readonly UsageDay[] }
  | { readonly kind: 'delete'; readonly tenant: number };

const tenant = fc.nat({ max: 1 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), tenant, days }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), tenant }) },
);

/** What a store should hold: one row for each day. */
type Model = Map<string, UsageDay>;

function take(model: Model, step: Step): void {
  if (step.kind === 'delete') return model.clear();
  for (const more of step.days) {
    const known = model.get(more.day) ?? flat(more.day, 0);
    const sums = NAMES.map((name) => [name, known[name] + more[name]] as const);
    model.set(more.day, { ...more, ...(Object.fromEntries(sums) as Omit<UsageDay, 'day'>) });
  }
}

const expectedOf = (model: Model, from: string) =>
  [...model.values()].filter(({ day }) => day >= from).sort((a, b) => (a.day < b.day ? -1 : 1));

describeRecords('records of usage', ({ test, check, expect }) => {
  test('any steps leave what they would leave in a map', ({ store: records }) =>
    check(
      fc.array(steps, { maxLength: 12 }),
      async (todo) => {
        const tenants = [await addTenant(records), await addTenant(records)];
        const models = [new Map<string, UsageDay>(), new Map<string, UsageDay>()];
        for (const step of todo) {
          const id = tenants[step.tenant]!;
          take(models[step.tenant]!, step);
          if (step.kind === 'add') await records.usage.add(id, step.days);
          else {
            await records.tenants.delete(id);
            // Nothing is kept of a tenant that is not there.
            await records.usage.add(id, [flat('2024-03-01', 1)]);
            await addTenant(records, id);
          }
        }
        for (const [i, id] of tenants.entries())
          for (const from of ['0000-01-01', '2024-03-01', '2024-03-02'])
            expect(await records.usage.list(id, from)).toEqual(expectedOf(models[i]!, from));
      },
      0.3,
    ));

  test('of what is added at once nothing is lost', async ({ store: records }) => {
    const id = await addTenant(records);
    const both = ['2024-03-01', '2024-03-02'];
    const add = (amount: number) =>
      records.usage.add(
        id,
        (amount % 2 === 0 ? both : [...both].reverse()).map((day) => flat(day, amount)),
      );
    await Promise.all(Array.from({ length: 20 }, (_, i) => add(i + 1)));
    expect(await records.usage.list(id, '2024-03-01')).toEqual(both.map((day) => flat(day, 210)));
  });

  test('the newest 400 days are kept, of each tenant its own', async ({ store: records }) => {
    const [id, other] = [await addTenant(records), await addTenant(records)];
    await records.usage.add(other, [flat(dayOf(0), 3)]);
    const all = Array.from({ length: USAGE_DAYS_MAX + 2 }, (_, i) => flat(dayOf(2 * i), i + 1));
    await records.usage.add(id, all.slice(0, USAGE_DAYS_MAX));
    expect(await records.usage.list(id, dayOf(0))).toEqual(all.slice(0, USAGE_DAYS_MAX));
    await records.usage.add(id, all.slice(USAGE_DAYS_MAX));
    expect(await records.usage.list(id, dayOf(0))).toEqual(all.slice(2));
    // A day that is older than all of these has no room.
    await records.usage.add(id, [flat(dayOf(1), 9)]);
    expect(await records.usage.list(id, dayOf(0))).toEqual(all.slice(2));
    expect(await records.usage.list(other, dayOf(0))).toEqual([flat(dayOf(0), 3)]);
  });

  test('usage is there after a restart', async ({ store: records, reopen }) => {
    if (reopen === undefined) return;
    const id = await addTenant(records);
    await records.usage.add(id, [flat('2024-03-01', 5)]);
    expect(await (await reopen()).usage.list(id, '2024-03-01')).toEqual([flat('2024-03-01', 5)]);
  });
});
