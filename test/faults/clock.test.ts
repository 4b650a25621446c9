import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endWell } from './support/expected.ts';
import { createFolder, createTenant, withAdmin, type TestTenant } from '../support/file.ts';
import { startHost, type HostProcess } from './support/host-process.ts';
import { askTenant, count, sendBatch, type Answer, type Report } from '../support/traffic.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const LIMITS = { perMinute: 5, perDay: 1000 };

const folder = createFolder();
const db = folder.file('clock.db');
let host: HostProcess;
let tenants = 0;

beforeAll(async () => {
  await createTenant(db, 'first');
  host = await startHost(db);
});

/** When it is. The clock stands still but where a test moves it, so that no token comes back by real time. */
const NOW = Date.now();
const moveTo = (offsetMs: number) => host.wish({ nowMs: NOW + offsetMs });

beforeEach(() => moveTo(0));

afterAll(async () => {
  await endWell(host);
  folder.remove();
});

describe('a clock that jumps', () => {
  it.each([
    ['an hour', HOUR_MS],
    ['ten years', 10 * YEAR_MS],
  ])('forwards by %s, it fills a bucket to its capacity and no further', async (_what, jumpMs) => {
    const tenant = await createTenant(db, `forwards-${(tenants += 1)}`, LIMITS);
    expect(await takeAll(tenant)).toBe(LIMITS.perMinute);
    await moveTo(jumpMs);
    expect(await takeAll(tenant)).toBe(LIMITS.perMinute);
  });

  it.each([
    ['an hour', HOUR_MS],
    ['ten years', 10 * YEAR_MS],
  ])('backwards by %s, it hands out nothing until it has caught up', async (_what, jumpMs) => {
    const tenant = await createTenant(db, `backwards-${(tenants += 1)}`, LIMITS);
    expect(await takeAll(tenant)).toBe(LIMITS.perMinute);
    await moveTo(-jumpMs);
    expect(await takeAll(tenant)).toBe(0);
    const { headers } = await askTenant(host.origin, tenant, 'count');
    const waitMs = 1000 * Number(headers.get('retry-after'));
    // A whole token comes back in a fifth of a minute, from the latest time that the bucket has seen.
    expect(waitMs).toBeGreaterThan(jumpMs - 60_000);
    expect(waitMs).toBeLessThanOrEqual(jumpMs + 12_000);
    await moveTo(waitMs - jumpMs);
    expect((await askTenant(host.origin, tenant, 'count')).status).toBe(200);
  });

  it('to and fro, it hands out no more than the bucket', async () => {
    const tenant = await createTenant(db, 'to-and-fro', LIMITS);
    let admitted = await takeAll(tenant);
    for (let i = 1; i <= 10; i++) {
      await moveTo(i % 2 === 0 ? 0 : -HOUR_MS);
      admitted += await takeAll(tenant);
    }
    expect(admitted).toBe(LIMITS.perMinute);
  });

  it('moves the bound on events of the future, and the time that events without one get', async () => {
    const tenant = await createTenant(db, 'future');
    const event = (eventTs: number, insertId: string) => ({
      eventName: 'e',
      userId: 'u',
      eventTs: new Date(eventTs).toISOString(),
      insertId,
      properties: {},
    });
    const send = (eventTs: number, insertId: string) =>
      sendBatch(host.origin, tenant.alias, [event(eventTs, insertId)]);
    expect((await send(NOW + 23 * HOUR_MS, 'near')).status).toBe(200);
    expectTooLate(await send(NOW + 26 * HOUR_MS, 'far'));

    await moveTo(3 * HOUR_MS);
    expect((await send(NOW + 26 * HOUR_MS, 'far')).status).toBe(200);

    await moveTo(-3 * HOUR_MS);
    expectTooLate(await send(NOW + 23 * HOUR_MS, 'later'));
    // What is stored stays, and a repeat of it is judged as any event is.
    expect(await count(host.origin, tenant)).toBe(2);
    const bare = [{ eventName: 'bare', userId: 'u' }] as never;
    expect((await sendBatch(host.origin, tenant.alias, bare)).status).toBe(200);
    const { body } = await askTenant(host.origin, tenant, 'query', { event: 'bare' });
    const [stored] = body as { eventTs: string }[];
    expect(Date.parse(stored!.eventTs)).toBe(NOW - 3 * HOUR_MS);
  });

  it('ends keys when it passes their time, and lets them live again when it steps back', async () => {
    const tenant = await createTenant(db, 'expiry');
    const expiresAt = NOW + HOUR_MS;
    const { secret } = await withAdmin(db, (admin) =>
      admin.createKey(tenant.alias, { name: 'short', permissions: ['query'], expiresAt }),
    );
    const short = { ...tenant, secret };
    const statusAt = async (offsetMs: number) => {
      await moveTo(offsetMs);
      return (await askTenant(host.origin, short, 'count')).status;
    };
    expect(await statusAt(0)).toBe(200);
    expect(await statusAt(2 * HOUR_MS)).toBe(401);
    expect(await statusAt(0)).toBe(200);
    expect(await statusAt(-YEAR_MS)).toBe(200);
    // A revoked key stays revoked at any time.
    await withAdmin(db, async (admin) => {
      for (const { id } of await admin.listKeys(tenant.alias)) await admin.revokeKey(tenant.alias, id);
    });
    expect(await statusAt(-YEAR_MS)).toBe(401);
  });
});

/** Asks until the bucket is empty; how many requests were admitted. */
async function takeAll(tenant: TestTenant): Promise<number> {
  for (let admitted = 0; ; admitted++) {
    const { status } = await askTenant(host.origin, tenant, 'count');
    if (status === 429) return admitted;
    expect(status).toBe(200);
  }
}

function expectTooLate({ status, body }: Answer): void {
  expect(status).toBe(400);
  expect((body as Report & { error: string }).error).toMatch(/^No event was accepted; .*eventTs.*24 h/);
}
