import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { toRawAnswer, type WholeResponse } from './answer.ts';

/** The connections of a server, and how they end. */
export interface Connections {
  /** Whether a connection only waits for its client to stop sending. */
  isEnding(socket: Socket): boolean;
  /** Ends a connection with an answer, when no request could be read from it. */
  refuse(socket: Socket, response: WholeResponse): void;
  /**
   * Makes the end of the current answer the end of the connection, so that a client that still sends can
   * read it.
   */
  lingerAfterAnswer(socket: Socket): void;
  /** Whether an answer that ends the connection is on its way, so that another would be one too many. */
  isLeaving(socket: Socket): boolean;
  /**
   * Whether a request is not looked at, because it came behind the last one of its connection: nobody asked
   * for it, and it may be no request at all but the body of that one.
   */
  ignores(req: IncomingMessage): boolean;
  /** Lets the rest of an answered request through unseen. */
  skip(req: IncomingMessage): void;
  /**
   * Whether the rest of an answered request is still awaited, so that another answer would be one too many.
   */
  isSkipping(socket: Socket): boolean;
  /** Cuts off those who have been ending for too long. */
  sweep(): void;
  /** Destroys all connections but some. */
  destroyExcept(kept: ReadonlySet<Socket>): void;
}

/**
 * How long a client may go on sending after its connection was ended. Closing at once would make the kernel
 * reset the connection, and the reset would overtake the answer that says why.
 */
const LINGER_MS = 2_000;
/** How much it may send in that time, as far as the timer notices. */
const LINGER_BYTES_MAX = 67_108_864;

interface Ending {
  ticksLeft: number;
  readonly bytesReadMax: number;
}

/** Watches the connections of a server. `tickMs` is how often `sweep` is called. */
export function createConnections(server: Server, tickMs: number): Connections {
  const open = new Set<Socket>();
  const endings = new Map<Socket, Ending>();
  const skipping = new WeakSet<Socket>();
  const leaving = new WeakSet<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      endings.delete(socket);
    });
  });

  function linger(socket: Socket): void {
    endings.set(socket, {
      ticksLeft: Math.ceil(LINGER_MS / tickMs),
      bytesReadMax: socket.bytesRead + LINGER_BYTES_MAX,
    });
    socket.end();
  }

  return {
    isEnding: (socket) => endings.has(socket),
    refuse: (socket, response) => {
      socket.write(toRawAnswer(response));
      linger(socket);
    },
    lingerAfterAnswer: (socket) => {
      leaving.add(socket);
      // Node calls this method when an answer with `Connection: close` is out.
      socket.destroySoon = () => linger(socket);
    },
    isLeaving: (socket) => leaving.has(socket),
    ignores: (req) => {
      const { socket } = req;
      const ends = endings.has(socket);
      if (ends) socket.destroy();
      else if (leaving.has(socket)) req.resume();
      return ends || leaving.has(socket);
    },
    skip: (req) => {
      const { socket } = req;
      skipping.add(socket);
      req.once('end', () => skipping.delete(socket));
    },
    isSkipping: (socket) => skipping.has(socket),
    sweep: () => {
      for (const [socket, ending] of endings) {
        ending.ticksLeft -= 1;
        if (ending.ticksLeft < 0 || socket.bytesRead > ending.bytesReadMax) socket.destroy();
      }
    },
    destroyExcept: (kept) => {
      for (const socket of open) {
        if (!kept.has(socket)) socket.destroy();
      }
    },
  };
}
