import { IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import { createEntrance } from './entrance.ts';

/** Lets the connections that a server accepts in, in their turns. */
export function acceptFrom(server: Server, connections: Connections): void {
  const entrance = createEntrance();
  // An option of Node's net servers that its HTTP servers do not hand on.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket) => {
    const connection = connections.take(socket);
    if (connection !== undefined) entrance.add(socket, connection.network);
  });
}

/**
 * Makes the class of requests of a server that stops to read a connection which is full. Node parses all that
 * it has read of a connection at once, thousands of small requests, and has no method to stop that. But it
 * asks each request whether it leaves HTTP for another protocol (`upgrade`), and behind one that does it
 * parses nothing.
 */
export function boundedRequest(isFull: (socket: Socket) => boolean): typeof IncomingMessage {
  const construct = IncomingMessage as unknown as (this: IncomingMessage, socket: Socket) => void;
  const tooMany = new WeakSet<IncomingMessage>();
  function BoundedRequest(this: IncomingMessage, socket: Socket): void {
    construct.call(this, socket);
  }
  BoundedRequest.prototype = Object.create(IncomingMessage.prototype, {
    upgrade: {
      get(this: IncomingMessage) {
        return this.method === 'CONNECT' || tooMany.has(this);
      },
      // Set when the head has come. Whether a client asks for another protocol is of no interest.
      set(this: IncomingMessage, asked: boolean | null) {
        if (asked !== null && isFull(this.socket)) tooMany.add(this);
      },
    },
  }) as object;
  return BoundedRequest as unknown as typeof IncomingMessage;
}
