import { startByHand } from './by-hand-server.ts';
import { startExpress, startFastify, startHono, startRaw } from './constant-servers.ts';
import { startEventQuery } from './event-query-server.ts';
import type { ServerStart, ServerStarted } from './protocol.ts';

const START: Readonly<Record<string, (start: ServerStart) => Promise<ServerStarted>>> = {
  'event-query': (start) => startEventQuery(start, { perMinute: 100_000_000, perDay: 100_000_000 }),
  'event-query, plan without limits': (start) => startEventQuery(start, null),
  'event-query, two tenants': (start) => startEventQuery(start, null, ['bench', 'hostile']),
  'node:http, constant': startRaw,
  'Fastify, constant': startFastify,
  'Hono, constant': startHono,
  'Express, constant': startExpress,
  'node:http, select + parse + stringify': startByHand,
};

process.once('message', (start: ServerStart) => {
  void START[start.peer]!(start).then((started) => process.send?.(started));
});
