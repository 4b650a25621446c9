import { createServer, IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Connections } from './connections.ts';
import { createAcceptQueue } from './accept-queue.ts';

/** Lets the connections that a server accepts in, in their turns. */
export function acceptFrom(server: Server, connections: Connections): void {
  const queue = createAcceptQueue();
  // An option of Node's net servers that its HTTP servers do not hand on.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket) => {
    const connection = connections.take(socket);
    if (connection !== undefined) queue.add(socket, connection.network);
  });
}

/** A class of requests for `createServer`. */
export type RequestClass = typeof IncomingMessage;

/** Makes a class of requests that stops to read a connection which is full. */
export type BoundRequests = (isFull: (socket: Socket) => boolean) => RequestClass;

/**
 * Makes the class of requests of a server that stops to read a connection which is full. Node parses all that
 * it has read of a connection at once, thousands of small requests, and has no method to stop that. But it
 * asks each request whether it leaves HTTP for another protocol (`upgrade`), and behind one that does it
 * parses nothing.
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
      // Set when the head has come. Whether a client asks for another protocol is of no interest.
      set(this: IncomingMessage, asked: boolean | null) {
        if (asked !== null && isFull(this.socket)) tooMany.add(this);
      },
    },
  }) as object;
  return BoundedRequest as unknown as RequestClass;
};

/**
 * Whether Node reads nothing behind a request of such a class that is full. Node promises nothing of the
 * kind, so a server looks when it starts: two requests come at once, and the second must stay unread.
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
