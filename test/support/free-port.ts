import { createServer } from 'node:net';

/** Below the ports that systems give out by themselves, to servers and to ends of connections. */
const [FIRST, COUNT] = [10_000, 20_000];

/**
 * A port of loopback that nobody listens on now. The caller listens on it later, and the system gives it to
 * no other process meanwhile.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer()
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
