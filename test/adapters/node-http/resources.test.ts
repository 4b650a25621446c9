import { channel } from 'node:diagnostics_channel';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { nodeResources } from '../../../adapters/node-http/index.ts';

it('work has its turn while connections come without an end', async () => {
  const { scheduler } = nodeResources();
  // What Node says of each connection that it accepts: one more in every turn.
  const accepted = channel('net.server.socket');
  const done: string[] = [];
  const signal = { aborted: false };
  const long = scheduler.run('long', signal, () => {
    const until = performance.now() + 20;
    while (performance.now() < until);
  });
  // Behind work that has filled a turn, other work waits for the next one.
  const next = scheduler.run('next', signal, () => void done.push('next'));
  expect(done).toEqual([]);
  // Far more turns than fit into the time for which connections are taken first.
  for (let i = 0; i < 500_000 && done.length === 0; i++) {
    accepted.publish({});
    await turn();
  }
  expect(done).toEqual(['next']);
  await Promise.all([long, next]);
});
