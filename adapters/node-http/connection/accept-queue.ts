import type { Socket } from 'node:net';

/** Where connections that have just been accepted wait until they are read. */
export interface AcceptQueue {
  add(socket: Socket, network: string): void;
}

/** How long connections are gathered before some are read, however many come. */
const GATHER_MS = 8;
/** How many are read from one turn on: a share of those who wait. */
const LET_IN_SHARE = 1 / 8;
const LET_IN_MIN = 4;
const LET_IN_MAX = 64;

/**
 * Makes the accept queue of a server. Node accepts one connection in a turn of the event loop. If it read the
 * first of a crowd at once, all others would wait in the kernel, where their addresses are not known. So the
 * queue accepts the crowd first and then lets networks take turns: a client of another network is read at
 * once. The sockets are those of a server that pauses them (`pauseOnConnect`).
 */
export function createAcceptQueue(): AcceptQueue {
  // The networks in the order of their turns.
  const waiting = new Map<string, Socket[]>();
  let count = 0;
  /** How many there were at the last turn; more now means that more may come. */
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
