import { createNodeServer, nodeRuntime } from '../../adapters/node-http/index.ts';
import { memoryStores } from '../../adapters/memory/index.ts';
import { createAdmin, createApi, type HttpHandler, type Stores } from '../../src/index.ts';
import type { ServerStart, ServerStarted } from './protocol.ts';

/** Parts of the service over parts that answer at once, so that what each adds to a request is seen. */
const log = { info: () => undefined, error: (fields: unknown) => console.error(fields) };

async function serve(handler: HttpHandler, secret: string): Promise<ServerStarted> {
  const { port } = await createNodeServer({ handler, log }).listen({ host: '127.0.0.1', port: 0 });
  return { port, secret };
}

/** The server alone: places, turns, bodies and answers. Its handler does what the raw server does. */
export function startTransport({ constants }: ServerStart): Promise<ServerStarted> {
  const byPath = new Map(constants.map((constant) => [constant.path + constant.body, constant]));
  return serve(async (request) => {
    const body = await request.text(262_144, 'bench');
    const found = byPath.get(request.target + body);
    if (found === undefined || typeof JSON.parse(body) !== 'object')
      return { status: 404, headers: {}, body: '' };
    return { status: 200, headers: found.headers, body: found.answer };
  }, '');
}

/** The server and the rings, over stores in memory that know the one count. */
export async function startRings({ constants }: ServerStart): Promise<ServerStarted> {
  const { answer } = constants.find(({ name }) => name === 'count')!;
  const { count } = JSON.parse(answer) as { count: number };
  const runtime = nodeRuntime();
  const memory = memoryStores({ clock: runtime });
  const admin = createAdmin({ stores: memory, runtime });
  await admin.createTenant({ alias: 'bench', plan: 'custom', limits: null });
  const { secret } = await admin.createKey('bench', { name: 'bench', permissions: ['query'] });
  const stores: Stores = { ...memory, events: { ...memory.events, count: () => Promise.resolve(count) } };
  return serve(createApi({ stores, runtime, log }).handler, secret);
}
