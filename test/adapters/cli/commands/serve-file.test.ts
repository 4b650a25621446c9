import { copyFileSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../../../adapters/sqlite/file/migrations.ts';
import { runSql } from '../../../support/file.ts';
import { createPlace, type Place, type Server } from '../command.ts';

async function serveShop(): Promise<{ readonly place: Place; readonly server: Server }> {
  const place = createPlace();
  onTestFinished(() => place.remove());
  await place.ok(['tenant', 'create', 'shop']);
  return { place, server: await place.serve(['serve', '--no-access-log']) };
}

const ready = async ({ url }: Server) => (await fetch(`${url}/readyz`)).status;

/** Sends an event, and returns the status of the answer. */
async function send({ url }: Server, i: number): Promise<number> {
  const event = {
    eventName: 'a',
    userId: 'u',
    eventTs: '2026-01-01T00:00:00Z',
    insertId: `e${i}`,
    properties: {},
  };
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/v1/events/shop/multi`, {
    method: 'POST',
    headers,
    body: JSON.stringify([event]),
  });
  return answer.status;
}

/** The log lines of a server about trouble and its end, without timestamps. */
const linesOf = (server: Server) =>
  server
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .map(({ level, msg }) => [level, msg]);

it('a server whose file is moved acknowledges no event, is not ready, and recovers', async () => {
  const { place, server } = await serveShop();
  expect([await send(server, 0), await ready(server)]).toEqual([200, 200]);
  const away = join(dirname(place.db), 'away');
  mkdirSync(away);
  const ends = ['', '-wal', '-shm'];
  for (const end of ends) renameSync(place.db + end, join(away, basename(place.db)) + end);
  const statuses: number[] = [];
  for (let i = 1; i <= 20; i++) statuses.push(await send(server, i));
  expect(statuses).toEqual(Array(20).fill(503));
  expect(await ready(server)).toBe(503);
  for (const end of ends) renameSync(join(away, basename(place.db)) + end, place.db + end);
  expect([await ready(server), await send(server, 21)]).toEqual([200, 200]);
  expect(await server.stop()).toBe(0);
  expect(linesOf(server)).toEqual([
    [30, 'started'],
    [50, expect.stringContaining(`${place.db} or its -wal is not in its place any more`)],
    [30, 'the file has recovered'],
    [30, 'closing'],
    [30, 'stopped'],
  ]);
});

it.runIf(process.platform === 'linux')(
  'a file deleted below a server is saved as the page says',
  async () => {
    const { place, server } = await serveShop();
    for (let i = 0; i < 5; i++) expect(await send(server, i)).toBe(200);
    for (const end of ['', '-wal']) rmSync(place.db + end);
    expect([await send(server, 5), await ready(server)]).toEqual([503, 503]);
    const open = `/proc/${server.child.pid}/fd`;
    for (const number of readdirSync(open)) {
      const deleted = /events\.db(-wal)? \(deleted\)$/.exec(readlinkSync(join(open, number)));
      if (deleted === null) continue;
      copyFileSync(join(open, number), join(dirname(place.db), `saved${deleted[1] ?? ''}`));
    }
    expect(await server.stop()).toBe(0);
    for (const end of ['', '-wal']) renameSync(join(dirname(place.db), `saved${end}`), place.db + end);
    expect(await place.ok(['check'])).toContain('is sound');
    // The one that was refused may be stored there, too; its sender tries again.
    expect(await place.ok(['count', 'shop', '--filter', 'insertId != "e5"'])).toBe('5\n');
  },
);

it('a server whose file a newer version has migrated answers no query and is not ready', async () => {
  const { place, server } = await serveShop();
  runSql(place.db, `PRAGMA user_version = ${MIGRATIONS.length + 1}`);
  expect([await send(server, 0), await ready(server)]).toEqual([503, 503]);
  expect(await server.stop()).toBe(0);
  expect(linesOf(server)[1]).toEqual([50, expect.stringContaining('of a newer event-query now')]);
});
