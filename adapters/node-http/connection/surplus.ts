import type { Socket } from 'node:net';

/**
 * How many surplus requests a server holds for all connections, at some KiB each. Node keeps each in the line
 * of its connection's answers until the connection has ended.
 */
const HELD_MAX = 16_384;

/** The requests that connections sent although they may not. */
export interface Surplus {
  /**
   * Takes one more such request, and lets Node parse nothing that comes later on its connection. False if the
   * server holds too many: then the connection can only be destroyed.
   */
  take(socket: Socket): boolean;
}

/**
 * Makes the surplus of a server. Node parses all that it has read from a connection at once, possibly
 * thousands of small requests, and has no method to stop that; so it is told only for what comes later.
 */
export function createSurplus(): Surplus {
  const counts = new Map<Socket, number>();
  let held = 0;

  function begin(socket: Socket): void {
    // The parser of Node is a listener of its own. What is still sent is read, so that the client can read
    // its answers: the kernel would reset a connection with unread bytes when it ends.
    socket.removeAllListeners('data');
    socket.on('data', () => undefined);
    socket.once('close', () => {
      held -= counts.get(socket)!;
      counts.delete(socket);
    });
  }

  return {
    take(socket) {
      const count = counts.get(socket) ?? 0;
      if (count === 0) begin(socket);
      counts.set(socket, count + 1);
      held += 1;
      return held <= HELD_MAX;
    },
  };
}
