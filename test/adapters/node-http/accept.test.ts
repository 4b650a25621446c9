import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import { expect, it } from 'vitest';
import { startTestServer } from '../../support/test-server.ts';

it('connections that cannot be accepted do not end the process, and are told of in one line', async () => {
  const server = await startTestServer({ limits: { handlerTimeoutMs: 200 } });
  let own: Server | undefined;
  const note = (message: unknown) => void (own = (message as { server: Server }).server);
  subscribe('http.server.request.start', note);
  await fetch(`${server.origin}/healthz`);
  unsubscribe('http.server.request.start', note);
  // What Node does when the kernel has no descriptor for a connection.
  const error = new Error('accept EMFILE');
  for (let i = 0; i < 50; i++) own!.emit('error', error);
  await expect
    .poll(() => server.log.entries)
    .toEqual([
      {
        level: 'error',
        message: 'the server could not accept a connection',
        fields: { err: error, times: 50 },
      },
    ]);
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  await server.close();
});
