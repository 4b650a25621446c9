import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

/** How Node parses what the connections of a server send. */
export interface Parsing {
  /** Registers a connection that the server accepted. Node's parser listens to it already. */
  begin(socket: Socket): void;
  /**
   * Lets Node parse nothing that a connection still sends. Up to a mebibyte of it is read and dropped, so
   * that the client can read its answers; a client that sends more is cut off.
   */
  stop(socket: Socket): void;
  /** Lets Node parse nothing more of a connection that sent too many requests, and the others with care. */
  stopFlood(socket: Socket): void;
}

/** How long after a flood new connections are parsed with care. */
const CARE_MS = 60_000;
/** How much of a connection that is stopped is read and dropped. */
const DROPPED_BYTES_MAX = 1_048_576;
/** How many bytes of many small requests are parsed at once: 20 of the smallest. */
const PORTION_BYTES = 512;
/** How many ends of heads make many requests out of what was read. */
const MANY = 20;

/**
 * Makes the parsing of a server. Node parses all that it has read from a connection at once, possibly
 * thousands of small requests, and has no method to stop that. Hundreds of such connections would hold the
 * event loop for seconds. So after the first of them, the server itself hands Node what it has read, in
 * small portions, until a connection has sent too many requests. It does not always do so: that costs a
 * small request 7 µs of processor time, a fifth of what Node's own server needs for it.
 */
export function createParsing(connections: Connections): Parsing {
  const inPortions = new WeakSet<Socket>();
  /** How many bytes of each stopped connection may still be dropped. */
  const stopped = new WeakMap<Socket, number>();
  let careUntil = 0;

  function parseInPortions(socket: Socket): void {
    if (inPortions.has(socket)) return;
    inPortions.add(socket);
    const parsers = socket.listeners('data') as ((this: Socket, chunk: Buffer) => void)[];
    for (const parse of parsers) socket.off('data', parse);
    socket.on('data', (chunk: Buffer) => {
      if (stopped.has(socket)) {
        drop(socket, chunk);
        return;
      }
      const size = hasManyHeads(chunk) ? PORTION_BYTES : chunk.length;
      for (let at = 0; at < chunk.length && !stopped.has(socket); at += size) {
        // Node pauses a connection whose client does not read its answers.
        if (at > 0 && socket.isPaused()) {
          socket.unshift(chunk.subarray(at));
          return;
        }
        for (const parse of parsers) parse.call(socket, chunk.subarray(at, at + size));
      }
    });
  }

  /** The kernel would reset a connection with unread bytes when it ends, and its client lose the answers. */
  function drop(socket: Socket, chunk: Buffer): void {
    const left = stopped.get(socket)! - chunk.length;
    stopped.set(socket, left);
    if (left < 0) socket.destroy();
  }

  function stop(socket: Socket): void {
    if (stopped.has(socket)) return;
    parseInPortions(socket);
    stopped.set(socket, DROPPED_BYTES_MAX);
  }

  return {
    begin: (socket) => {
      if (performance.now() < careUntil) parseInPortions(socket);
    },
    stop,
    stopFlood: (socket) => {
      if (stopped.has(socket)) return;
      stop(socket);
      careUntil = performance.now() + CARE_MS;
      for (const connection of connections.all()) parseInPortions(connection.socket);
    },
  };
}

/** Whether a chunk may hold many requests. A body can look so, too, and is parsed in portions then. */
function hasManyHeads(chunk: Buffer): boolean {
  if (chunk.length <= PORTION_BYTES) return false;
  let heads = 0;
  for (const end of ['\n\r\n', '\n\n']) {
    for (let at = chunk.indexOf(end); at !== -1; at = chunk.indexOf(end, at + 1)) {
      heads += 1;
      if (heads >= MANY) return true;
    }
  }
  return false;
}
