import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from 'node:http';
import { networkInterfaces } from 'node:os';
import { statSync, writeFileSync } from 'node:fs';
import { findFreePort } from '../../../support/free-port.ts';
import { valueOf } from '../../../support/metrics.ts';
import { createPlace, type Place } from '../command.ts';

const METRICS_URL = /metrics at (http:\/\/127\.0\.0\.1:\d+\/metrics)\n/;

/** An address of this machine in a network, or a loopback one where it has none. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2';
}

/** The status of the metrics by a `Host`. */
const statusOf = (port: string, host: string, at = '127.0.0.1') =>
  new Promise((resolve, reject) => {
    get({ host: at, port, path: '/metrics', headers: { host } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    }).on('error', reject);
  });

let place: Place;
beforeAll(() => {
  place = createPlace();
});
afterAll(() => place.remove());

describe('serve --admin-port', () => {
  it('serves metrics on this machine only, with or without a dashboard', async () => {
    for (const flags of [[], ['--dashboard']]) {
      const server = await place.serve(['serve', '--admin-port', '0', ...flags], METRICS_URL);
      const [, url = ''] = METRICS_URL.exec(server.printed) ?? [];
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toMatch(
        /^event_query_build_info\{version="\d[^"]+",node="v\d[^"]+",store="sqlite"\} 1$/m,
      );
      expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
      expect((await fetch(new URL('/healthz', url))).status).toBe(404);
      await server.stop();
    }
  });

  it.each([[[]], [['--workers', '2']]])(
    'serves metrics on another address, by its names, with %j',
    async (more) => {
      const flags = ['--admin-port', '0', '--admin-host', '0.0.0.0', '--admin-names', 'server', ...more];
      const server = await place.serve(['serve', ...flags], METRICS_URL);
      const { port } = new URL(METRICS_URL.exec(server.printed)![1]!);
      expect(await statusOf(port, `server:${port}`, ownAddress())).toBe(200);
      expect(await statusOf(port, `172.17.0.2:${port}`)).toBe(200);
      expect(await statusOf(port, 'evil.test')).toBe(421);
      await server.stop();
    },
  );

  it('serves metrics by the name of the address that it was given', async () => {
    // Every system reads this name as 127.0.0.1, and no rule takes it for an address.
    const printed = /metrics at http:\/\/127\.1:(\d+)\/metrics\n/;
    const server = await place.serve(['serve', '--admin-port', '0', '--admin-host', '127.1'], printed);
    const port = printed.exec(server.printed)![1]!;
    expect(await statusOf(port, `127.1:${port}`)).toBe(200);
    expect(await statusOf(port, `127.2:${port}`)).toBe(421);
    await server.stop();
  });

  it('refuses an address of an admin port that is not there', async () => {
    for (const flags of [
      ['--admin-host', '0.0.0.0'],
      ['--admin-names', 'server'],
    ]) {
      const { code, stderr } = await place.run(['serve', ...flags]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--admin-port') as string]);
    }
    const { code, stderr } = await place.run(['serve', '--admin-port', '0', '--admin-names', 'server:9464']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('without ports') as string]);
  });

  it('says when the file was last backed up, and how long that took', async () => {
    const AT = 'event_query_backup_last_success_timestamp_seconds';
    const server = await place.serve(['serve', '--admin-port', '0'], METRICS_URL);
    const [, url = ''] = METRICS_URL.exec(server.printed) ?? [];
    const read = async () => (await fetch(url)).text();
    expect(valueOf(await read(), AT)).toBeUndefined();
    const before = Date.now() / 1000;
    await place.ok(['backup']);
    const found = await read();
    expect(valueOf(found, AT)).toBeGreaterThanOrEqual(before);
    expect(valueOf(found, AT)).toBeLessThanOrEqual(Date.now() / 1000);
    expect(valueOf(found, 'event_query_backup_duration_seconds')).toBeGreaterThan(0);
    expect(statSync(`${place.db}-last-backup`).mode & 0o777).toBe(0o600);
    // What is no record of a backup is none, and breaks nothing.
    writeFileSync(`${place.db}-last-backup`, '{"endedAt": "now"}');
    expect(valueOf(await read(), AT)).toBeUndefined();
    await server.stop();
  });

  it('says that limits are counted apart while Redis is away', async () => {
    const limits = ['--limits', `redis://127.0.0.1:${await findFreePort()}`];
    const server = await place.serve(['serve', '--admin-port', '0', ...limits], METRICS_URL);
    const [, url = ''] = METRICS_URL.exec(server.printed) ?? [];
    expect(valueOf(await (await fetch(url)).text(), 'event_query_limiter_degraded')).toBe(1);
    await server.stop();
  });

  it('counts the lines of the log that nobody reads', async () => {
    const server = await place.serve(['serve', '--admin-port', '0'], METRICS_URL);
    const [, url = ''] = METRICS_URL.exec(server.printed) ?? [];
    const dropped = async () =>
      valueOf(await (await fetch(url)).text(), 'event_query_log_lines_dropped_total') ?? 0;
    expect(await dropped()).toBe(0);
    server.child.stderr!.pause();
    while ((await dropped()) === 0) {
      await Promise.all(
        Array.from({ length: 100 }, async () => (await fetch(`${server.url}/nowhere`)).text()),
      );
    }
    server.child.stderr!.resume();
    expect(await server.stop()).toBe(0);
    const said = server.log().match(/"lines":\d+/g) ?? [];
    const sum = said.reduce((all, each) => all + Number(each.slice('"lines":'.length)), 0);
    expect(sum).toBeGreaterThan(0);
  });

  it('is what metrics need', async () => {
    const server = await place.serve(['serve']);
    expect(server.printed).not.toContain('metrics');
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
    await server.stop();
  });
});
