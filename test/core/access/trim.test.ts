import { expect, it } from 'vitest';
import { createPlainApi } from '../../support/plain-api.ts';
import { recordsIn } from '../../../src/core/access/records.ts';

const HOUR_MS = 3_600_000;

it('the audit log keeps the newest ten thousand notes of a tenant, looked at once an hour', async () => {
  const api = createPlainApi();
  await api.createTenant('shop');
  await api.createTenant('other');
  const { id } = await api.admin.getTenant('shop');
  const countOf = async (tenantIds: readonly string[]) =>
    (await recordsIn(api.stores.control).admins.audit({ size: 20_000, tenantIds }))!.length;
  const rename = async (times: number) => {
    for (let i = 0; i < times; i++) await api.admin.updateTenant('shop', { name: `Shop ${i}` });
  };
  await rename(10_003);
  await api.eraseExpired();
  expect(await countOf([id])).toBe(10_000);
  expect(await countOf([(await api.admin.getTenant('other')).id])).toBe(2);
  const [newest] = (await recordsIn(api.stores.control).admins.audit({ size: 1, tenantIds: [id] }))!;
  expect(newest!.details).toEqual({ name: 'Shop 10002' });
  await rename(5);
  api.clock.advance(HOUR_MS - 1);
  await api.eraseExpired();
  expect(await countOf([id])).toBe(10_005);
  api.clock.advance(1);
  await api.eraseExpired();
  expect(await countOf([id])).toBe(10_000);
});

it('a log that cannot be trimmed is told of, and nothing else fails by it', async () => {
  const fault = new Error('away');
  const api = createPlainApi({
    wrap: (stores) => ({ ...stores, control: { ...stores.control, trimAudit: () => Promise.reject(fault) } }),
  });
  await api.eraseExpired();
  expect(api.log.entries).toMatchObject([
    { message: 'the audit log was not trimmed', fields: { err: fault } },
  ]);
});
