import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OPENERS, orClose } from '../../../../adapters/cli/stores/openers.ts';
import { parseStoreUrl } from '../../../../adapters/cli/stores/store-url.ts';
import { testResources } from '../../../support/resources.ts';

describe('a resource that owns a connection', () => {
  it('fails with its own error, even when the connection cannot be closed', async () => {
    const made = orClose(
      () => Promise.reject(new Error('the reason')),
      () => Promise.reject(new Error('closed twice')),
    );
    await expect(made).rejects.toThrow('the reason');
  });
});

describe('a Redis that is away', () => {
  it('lets a server start, which says so, and no limit waits for it', async () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => said.mockRestore());
    // The server closes each connection without an answer.
    let tries = 0;
    const server = createServer((socket) => {
      tries += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = parseStoreUrl('limits', `redis://127.0.0.1:${port}`);
    const { limits, close } = await OPENERS.redis(url, testResources(), 'serve');
    const lines = said.mock.calls.map(([text]) => String(text));
    expect(lines).toContainEqual(expect.stringMatching(/is away: each process counts limits by itself/));
    expect(await limits!.take('a', [{ limit: 1, windowMs: 60_000 }], [1])).toMatchObject({ allowed: true });
    // The client keeps trying, and its failures are not unhandled.
    await expect.poll(() => tries).toBeGreaterThan(3);
    await close();
  });
});
