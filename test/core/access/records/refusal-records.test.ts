import * as fc from 'fast-check';
import type { AuditEntry, Refusal, RefusalReason } from '../../../../src/store-kit.ts';
import { newTenantId } from '../../../conformance/runner.ts';
import { addTenant, describeRecords } from './fixtures.ts';

const REASONS: readonly RefusalReason[] = ['userId', 'properties', 'json', 'rateLimited'];
const times = fc.integer({ min: 0, max: 4_102_444_799_999 });

const examples: fc.Arbitrary<Refusal['example']> = fc.option(
  fc.record(
    {
      type: fc.constantFrom('object' as const, 'array' as const),
      length: fc.nat(),
      where: fc.constantFrom('userId', 'properties."日本 😀"', "it's \\"),
      fields: fc.array(
        fc.record({ key: fc.constantFrom('a', '😀', '"'), type: fc.constant('null' as const) }),
        {
          maxLength: 3,
        },
      ),
      more: fc.nat(),
    },
    { requiredKeys: ['type', 'fields', 'more'] },
  ),
);

const rows: fc.Arbitrary<readonly Refusal[]> = fc.uniqueArray(
  fc
    .record({
      reason: fc.constantFrom(...REASONS),
      count: fc.integer({ min: 1, max: 2 ** 40 }),
      at: fc.tuple(times, times),
      example: examples,
    })
    .map(({ reason, count, at, example }) => ({
      ...{ reason, count, example },
      ...{ firstAt: Math.min(...at), lastAt: Math.max(...at) },
    })),
  { selector: ({ reason }) => reason, maxLength: 4 },
);

/** One thing done to records of refusals. */
type Step =
  | { readonly kind: 'add'; readonly tenant: number; readonly rows: readonly Refusal[] }
  | { readonly kind: 'erase'; readonly tenant: number }
  | { readonly kind: 'eraseExamples'; readonly tenant: number };

const tenant = fc.nat({ max: 1 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), tenant, rows }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), tenant }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('eraseExamples' as const), tenant }) },
);

/** What a store should hold: one row for each reason. */
type Model = Map<string, Refusal>;

function take(model: Model, step: Step): void {
  if (step.kind === 'erase') return model.clear();
  if (step.kind === 'eraseExamples') {
    for (const [reason, row] of model) model.set(reason, { ...row, example: null });
    return;
  }
  for (const row of step.rows) {
    const known = model.get(row.reason);
    const [older, newer] = known !== undefined && known.lastAt > row.lastAt ? [row, known] : [known, row];
    model.set(row.reason, {
      reason: row.reason,
      count: (known?.count ?? 0) + row.count,
      firstAt: Math.min(known?.firstAt ?? Infinity, row.firstAt),
      lastAt: newer.lastAt,
      example: newer.example ?? older?.example ?? null,
    });
  }
}

const byReason = (refusals: Iterable<Refusal>) =>
  [...refusals].sort((a, b) => (a.reason < b.reason ? -1 : 1));

describeRecords('records of refusals', ({ test, check, expect }) => {
  test('any steps leave what they would leave in a map', ({ store: records }) =>
    check(
      fc.array(steps, { maxLength: 12 }),
      async (todo) => {
        const tenants = [await addTenant(records), await addTenant(records)];
        const models = [new Map<string, Refusal>(), new Map<string, Refusal>()];
        for (const step of todo) {
          const id = tenants[step.tenant]!;
          take(models[step.tenant]!, step);
          await (step.kind === 'add' ? records.refusals.add(id, step.rows) : records.refusals[step.kind](id));
        }
        for (const [i, id] of tenants.entries())
          expect(byReason(await records.refusals.list(id))).toEqual(byReason(models[i]!.values()));
      },
      0.3,
    ));

  test('of what is added at once nothing is lost', async ({ store: records }) => {
    const id = await addTenant(records);
    const add = (at: number) => {
      const all = REASONS.map((reason) => ({
        ...{ reason, count: at, firstAt: at, lastAt: at, example: null },
      }));
      return records.refusals.add(id, at % 2 === 0 ? all : all.reverse());
    };
    await Promise.all(Array.from({ length: 20 }, (_, i) => add(i + 1)));
    const expected = REASONS.map((reason) => ({
      ...{ reason, count: 210, firstAt: 1, lastAt: 20, example: null },
    }));
    expect(byReason(await records.refusals.list(id))).toEqual(byReason(expected));
  });

  test('that they were cleared is noted with it', async ({ store: records }) => {
    const id = await addTenant(records);
    const entry: AuditEntry = {
      ...{ id: newTenantId(), who: 'ada', from: '::1', credentialId: null, person: null, at: 7 },
      ...{ action: 'refusals.clear', tenantId: id, alias: 'shop', details: {} },
    };
    await records.refusals.add(id, [{ reason: 'json', count: 1, firstAt: 1, lastAt: 1, example: null }]);
    await records.refusals.erase(id, entry);
    expect(await records.refusals.list(id)).toEqual([]);
    expect(await records.admins.audit({ size: 9, tenantIds: [id] })).toEqual([entry]);
  });

  test('refusals are there after a restart', async ({ store: records, reopen }) => {
    if (reopen === undefined) return;
    const id = await addTenant(records);
    const example = { type: 'object' as const, length: 0, fields: [], more: 0 };
    const row = { reason: 'userId' as const, count: 3, firstAt: 1, lastAt: 2, example };
    await records.refusals.add(id, [row]);
    expect(await (await reopen()).refusals.list(id)).toEqual([row]);
  });
});
