import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../../support/free-port.ts';
import { createPlace } from '../command.ts';

const place = createPlace();
afterAll(() => place.remove());

/** Starts a server that answers everything alike, and resolves to its URL. */
async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('health', () => {
  it('of a ready server is 0, and of one that drains 1', async () => {
    const server = await place.serve(['serve', '--drain', '1h']);
    const args = ['health', '--url', `${server.url}/`];
    expect(await place.run(args)).toEqual({ code: 0, stdout: `${server.url} is ready\n`, stderr: '' });
    const { port } = new URL(server.url);
    // As in a container: the server's own variables name an address that stands for all interfaces.
    const env = { EVENT_QUERY_HOST: '0.0.0.0', PORT: port };
    expect(await place.run(['health'], { env })).toMatchObject({ code: 0, stderr: '' });
    const ended = server.stop('SIGTERM');
    while (!server.log().includes('not ready any more')) await sleep(20);
    const { code, stdout, stderr } = await place.run(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^event-query: http:\S+ is not ready: status 503 \{[^\n]+\n$/);
    server.child.kill('SIGTERM');
    await ended;
  });

  it('of no server is 1, with the reason', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const { code, stdout, stderr } = await place.run(['health', '--url', url]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`^event-query: ${url} is not ready: [^\\n]*ECONNREFUSED[^\\n]*\\n$`));
  });

  it('of a server that does not answer is 1 after a while', async () => {
    const url = await startServer(() => undefined);
    const stderr = `event-query: ${url} is not ready: it has not answered within 5 s\n`;
    expect(await place.run(['health', '--url', url])).toEqual({ code: 1, stdout: '', stderr });
  });

  it('prints what another server answers on one short line, and follows no redirect', async () => {
    const long = await startServer((_request, response) =>
      response.writeHead(404).end(`not\nfound\x1b[2J${'x'.repeat(10_000)}`),
    );
    const { code, stderr } = await place.run(['health', '--url', long]);
    expect([code, stderr.split('\n').length, stderr.length < 400]).toEqual([1, 2, true]);
    expect(stderr).toContain('is not ready: status 404 not found');
    expect(stderr).not.toContain('\x1b');
    const moved = await startServer((_request, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    );
    expect((await place.run(['health', '--url', moved])).stderr).toContain('status 302');
  });

  it.each([
    [['--url', 'localhost:80'], /It takes a URL such as/],
    [['--url', 'http://user:secret@127.0.0.1'], /It takes a URL such as/],
    [['--port', '0'], /port 0 is any free port: name the server with --url/],
  ])('called with %j is misuse', async (args, message) => {
    const { code, stdout, stderr } = await place.run(['health', ...args]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
  });
});
