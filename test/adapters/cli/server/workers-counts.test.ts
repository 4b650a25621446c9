import { afterAll, expect, it, vi } from 'vitest';
import { createFolder, createTenant, runSql, withAdmin } from '../../../support/file.ts';
import { defectsIn, startServer } from '../../../support/server-process.ts';
import { ask, until } from '../../../support/traffic.ts';

const folder = createFolder();
afterAll(() => folder.remove());

/** How long is waited for a state. */
const WAIT = { timeout: 50_000, interval: 100 };
const json = { 'Content-Type': 'application/json' };
const GOOD = { eventName: 'a', userId: 'u' };

it('two workers store what they count while they run and when they stop, and it adds up', async () => {
  const db = folder.file('events.db');
  await createTenant(db, 'shop');
  const server = await startServer({ db, args: ['--workers', '2'] });
  const sent = { events: 0, requests: 0, good: 0, all: 0 };
  const refuse = async (i: number) => {
    const bad = Array.from({ length: 1 + (i % 5) }, () => ({ ...GOOD, userId: '' }));
    const body = i % 4 === 0 ? '{' : JSON.stringify([GOOD, ...bad]);
    const { status } = await ask(server.origin, '/v1/events/shop/multi', { headers: json, body });
    expect(status).toBe(i % 4 === 0 ? 400 : 200);
    sent.all += 1;
    if (i % 4 === 0) sent.requests += 1;
    else {
      sent.good += 1;
      sent.events += bad.length;
    }
  };
  const kept = () => withAdmin(db, (admin) => admin.listRefusals('shop'));
  const counts = async () =>
    Object.fromEntries((await kept()).map(({ of, reason, count }) => [`${of} ${reason}`, count]));
  const told = () => ({ 'events userId': sent.events, 'requests notJson': sent.requests });

  // The day may change meanwhile.
  const sums = ['requests', 'refused', 'limited', 'events', 'rejected'].map(
    (name) => `sum(document ->> '${name}') AS ${name}`,
  );
  const usage = () => runSql(db, `SELECT ${sums.join(', ')} FROM documents WHERE kind = 'usage'`);
  const used = () => [
    { requests: sent.all, refused: sent.requests, limited: 0, events: sent.good, rejected: sent.events },
  ];

  await Promise.all(Array.from({ length: 80 }, (_, i) => refuse(i)));
  await vi.waitFor(async () => expect(await counts()).toEqual(told()), WAIT);
  await vi.waitFor(() => expect(usage()).toEqual(used()), WAIT);
  const pids = () => new Set(server.log.filter(({ msg }) => msg === 'request').map(({ pid }) => pid));
  await until('both have answered', () => pids().size === 2);

  await Promise.all(Array.from({ length: 40 }, (_, i) => refuse(i)));
  expect(await server.stop()).toMatchObject({ code: 0 });
  expect(await counts()).toEqual(told());
  expect(usage()).toEqual(used());
  expect(defectsIn(server.log)).toEqual([]);
});
