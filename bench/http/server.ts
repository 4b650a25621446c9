import { startByHand } from './by-hand-server.ts';
import { startExpress, startFastify, startHono, startRaw } from './constant-servers.ts';
import { startEventQuery } from './event-query-server.ts';
import { startRings, startTransport } from './layer-servers.ts';
import type { ServerStart, ServerStarted } from './protocol.ts';

/** As many as clients that ask at once: so none of them comes near to its limit. */
const KEYS = 32;

const START: Readonly<Record<string, (start: ServerStart) => Promise<ServerStarted>>> = {
  'event-query': (start) =>
    startEventQuery(start, { limits: { perMinute: 60_000, perDay: 86_400_000 }, keys: KEYS }),
  'event-query, plan without limits': (start) => startEventQuery(start, { limits: null, keys: KEYS }),
  'event-query, two tenants': (start) =>
    startEventQuery(start, { limits: null, keys: 1, aliases: ['bench', 'hostile'] }),
  'event-query, transport': startTransport,
  'event-query, constant stores': startRings,
  'node:http, constant': startRaw,
  'Fastify, constant': startFastify,
  'Hono, constant': startHono,
  'Express, constant': startExpress,
  'node:http, select + parse + stringify': startByHand,
};

process.once('message', (start: ServerStart) => {
  void START[start.peer]!(start).then((started) => process.send?.(started));
});
