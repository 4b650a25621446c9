import type { Socket } from 'node:net';

/** The queue in which accepted connections wait until the server reads from them. */
export interface AcceptQueue {
  add(socket: Socket, network: string): void;
}

/** How long the server only accepts connections, at most, before it reads from some of them. */
const GATHER_MS = 8;
/** The share of the waiting connections that the server starts to read in one turn. */
const LET_IN_SHARE = 1 / 8;
const LET_IN_MIN = 4;
const LET_IN_MAX = 64;

/**
 * Makes the accept queue of a server. Node accepts one connection per turn of the event loop. If the server
 * read from the first of many at once, the others would stay in the kernel, where it cannot see their
 * addresses. So it first accepts all of them and then reads by turns of their networks: a client from a
 * quiet network does not wait for a busy one. The server must pause its sockets (`pauseOnConnect`).
 */
export function createAcceptQueue(): AcceptQueue {
  // The waiting sockets by network; networks are in the order of their turns.
  const waiting = new Map<string, Socket[]>();
  let count = 0;
  /** How many were waiting at the last turn. If more wait now, further ones may follow. */
  let seen = 0;
  let gatherUntil = 0;

  function turn(): void {
    const now = performance.now();
    if (count > seen && now < gatherUntil) {
      seen = count;
      setImmediate(turn);
      return;
    }
    const readers = Math.min(LET_IN_MAX, Math.max(LET_IN_MIN, Math.ceil(count * LET_IN_SHARE)));
    for (let i = 0; i < readers && count > 0; i++) letInNext();
    seen = count;
    gatherUntil = now + GATHER_MS;
    if (count > 0) setImmediate(turn);
  }

  function letInNext(): void {
    const [network, sockets] = waiting.entries().next().value!;
    waiting.delete(network);
    const socket = sockets.shift()!;
    if (sockets.length > 0) waiting.set(network, sockets);
    count -= 1;
    socket.resume();
  }

  return {
    add(socket, network) {
      const sockets = waiting.get(network);
      if (sockets === undefined) waiting.set(network, [socket]);
      else sockets.push(socket);
      count += 1;
      if (count > 1) return;
      seen = 0;
      gatherUntil = performance.now() + GATHER_MS;
      setImmediate(turn);
    },
  };
}
