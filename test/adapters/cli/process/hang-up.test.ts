import { afterAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';

const place = createPlace();
afterAll(() => place.remove());

/** Sends SIGHUP as soon as a listener is there, and says what had been loaded until then. */
const HANGS_UP = `
  import Module from 'node:module';
  const { on } = process;
  process.on = function (event, listener) {
    on.call(this, event, listener);
    if (event === 'SIGHUP') {
      process.on = on;
      const loaded = Object.keys(Module._cache).some((path) => path.includes('commander'));
      process.stderr.write(loaded ? 'hung up late\\n' : 'hung up early\\n');
      process.kill(process.pid, 'SIGHUP');
    }
    return this;
  };`;
/** Lets Node run a text before the command. */
const before = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
});

describe('a SIGHUP', () => {
  it('before a server has loaded does not end it', async () => {
    await place.ok(['tenant', 'create', 'shop']);
    const server = await place.serve(['serve'], undefined, before(HANGS_UP));
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(server.log()).toMatch(/^hung up early\n/);
  });

  it('has no listener in another command: it ends with its terminal', async () => {
    const counts = `process.on('exit', () => process.stderr.write(process.listenerCount('SIGHUP') + '\\n'))`;
    expect((await place.run(['tenant', 'list'], { env: before(counts) })).stderr).toBe('0\n');
  });
});
