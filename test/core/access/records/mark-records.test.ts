import type { Mark } from '../../../../src/core/access/mark.ts';
import type { AuditEntry } from '../../../../src/store-kit.ts';
import { newTenantId } from '../../../conformance/runner.ts';
import { addTenant, describeRecords } from './fixtures.ts';

const newMark = (tenantId: string, changes: Partial<Mark> = {}): Mark => ({
  ...{ id: newTenantId(), tenantId, time: '2026-05-18T09:00:00.000Z', name: "it's 😀", url: null },
  ...changes,
});

function newNote(tenantId: string, action: AuditEntry['action']): AuditEntry {
  return {
    ...{ id: newTenantId(), who: 'ada', from: '::1', credentialId: null, person: null, at: 7 },
    ...{ action, tenantId, alias: 'a', details: {} },
  };
}

describeRecords('records of marks', ({ test, expect }) => {
  test('are listed by time, then by id, and nobody else’s', async ({ store: records }) => {
    const [tenantId, other] = [await addTenant(records), await addTenant(records)];
    const [low, high] = [newTenantId(), newTenantId()].sort();
    const kept = [
      newMark(tenantId, { time: '1970-01-01T00:00:00.000Z', url: 'https://shop.example' }),
      newMark(tenantId, { id: low! }),
      newMark(tenantId, { id: high! }),
      newMark(tenantId, { time: '2026-05-18T09:00:00.001Z' }),
      newMark(tenantId, { time: '2099-12-31T23:59:59.999Z' }),
    ];
    for (const mark of kept.toReversed()) expect(await records.marks.create(mark)).toEqual('created');
    await records.marks.create(newMark(other));
    expect(await records.marks.list(tenantId)).toEqual(kept);
    expect(await records.marks.list(newTenantId())).toEqual([]);
    expect(await records.marks.create(newMark(newTenantId()))).toEqual('noTenant');
  });

  test('what changes is noted, and what changes nothing is not', async ({ store: records }) => {
    const tenantId = await addTenant(records);
    const mark = newMark(tenantId);
    const notes = (['mark.create', 'mark.delete'] as const).map((each) => newNote(tenantId, each));
    const unmade = newNote(tenantId, 'mark.delete');
    await records.marks.create(mark, notes[0]);
    expect(await records.marks.remove(mark.id, notes[1])).toEqual(true);
    expect(await records.marks.remove(mark.id, unmade)).toEqual(false);
    expect(await records.admins.audit({ size: 10, tenantIds: [tenantId] })).toEqual(notes.toReversed());
  });

  test('a tenant’s marks go with it, and no others', async ({ store: records }) => {
    const [tenantId, other] = [await addTenant(records), await addTenant(records)];
    for (const each of [tenantId, other]) await records.marks.create(newMark(each));
    await records.tenants.delete(tenantId);
    await addTenant(records, tenantId);
    expect(await records.marks.list(tenantId)).toEqual([]);
    expect((await records.marks.list(other)).length).toEqual(1);
  });

  test('all of it is there after a restart', async ({ store: records, reopen }) => {
    if (reopen === undefined) return;
    const tenantId = await addTenant(records);
    const mark = newMark(tenantId);
    await records.marks.create(mark);
    expect(await (await reopen()).marks.list(tenantId)).toEqual([mark]);
  });
});
