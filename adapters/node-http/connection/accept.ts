import type { Server } from 'node:http';
import type { Connections } from './connections.ts';
import { createAcceptQueue } from './accept-queue.ts';
import type { Parsing } from './parsing.ts';

/** Queues the connections that a server accepts, and reads from them in fair turns of their networks. */
export function acceptFrom(server: Server, connections: Connections, parsing: Parsing): void {
  const queue = createAcceptQueue();
  // Node's net servers have this option, but its HTTP servers do not pass it on.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket) => {
    const connection = connections.take(socket);
    if (connection === undefined) return;
    parsing.begin(socket);
    queue.add(socket, connection.network);
  });
}
