import { createServer, IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Connections } from './connections.ts';
import { createAcceptQueue } from './accept-queue.ts';

/** Queues the connections that a server accepts, and reads from them in fair turns of their networks. */
export function acceptFrom(server: Server, connections: Connections): void {
  const queue = createAcceptQueue();
  // Node's net servers have this option, but its HTTP servers do not pass it on.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket) => {
    const connection = connections.take(socket);
    if (connection !== undefined) queue.add(socket, connection.network);
  });
}

/** A class of requests for `createServer`. */
export type RequestClass = typeof IncomingMessage;

/** Makes a class of requests that stops Node from parsing more requests of a full connection. */
export type BoundRequests = (isFull: (socket: Socket) => boolean) => RequestClass;

/**
 * Makes a class of requests that stops Node from parsing more requests of a full connection. Node parses all
 * that it has read from a connection at once, possibly thousands of small requests, and has no method to stop
 * that. But it asks each request whether it switches to another protocol (`upgrade`), and parses nothing
 * after a request that does.
 */
export const boundedRequest: BoundRequests = (isFull) => {
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
      // Node sets this once it has parsed the head. A client's own wish to switch protocols is ignored.
      set(this: IncomingMessage, asked: boolean | null) {
        if (asked !== null && isFull(this.socket)) tooMany.add(this);
      },
    },
  }) as object;
  return BoundedRequest as unknown as RequestClass;
};

/**
 * Whether Node stops parsing after a request that reports a full connection. Node does not document this, so
 * a server checks it at startup: two requests arrive at once, and the second must stay unread.
 */
export function stopsBehindFull(bound: BoundRequests): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer({ IncomingMessage: bound(() => true) });
    const wire = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    const settle = (stops: boolean) => {
      resolve(stops);
      wire.destroy();
    };
    server.on('request', () => settle(false));
    server.on('upgrade', (_req, _socket, unread) => settle(unread.toString() === SECOND));
    wire.on('close', () => settle(false));
    server.emit('connection', wire);
    wire.push(FIRST + SECOND);
    wire.push(null);
  });
}

const FIRST = 'GET /first HTTP/1.1\r\nHost: a\r\n\r\n';
const SECOND = 'GET /second HTTP/1.1\r\nHost: a\r\n\r\n';
