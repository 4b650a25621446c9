import { createNodeServer, nodeResources } from '../../adapters/node-http/index.ts';
import { memoryStores } from '../../adapters/memory/index.ts';
import { createAdmin, createApi, type HttpHandler, type ServedApi, type Stores } from '../../src/index.ts';
import type { ServerStart, ServerStarted } from './protocol.ts';

/** Parts of the service over parts that answer at once, so that what each adds to a request is seen. */
async function serve(api: ServedApi, secret: string): Promise<ServerStarted> {
  const { port } = await createNodeServer({ api }).listen({ host: '127.0.0.1', port: 0 });
  return { port, secret };
}

/** The server alone: places, turns, bodies and answers. Its handler does what the raw server does. */
export function startTransport({ constants }: ServerStart): Promise<ServerStarted> {
  const byPath = new Map(constants.map((constant) => [constant.path + constant.body, constant]));
  const handler: HttpHandler = async (request) => {
    const body = await request.text(262_144, 'bench');
    const found = byPath.get(request.target + body);
    if (found === undefined || typeof JSON.parse(body) !== 'object')
      return { status: 404, headers: {}, body: '' };
    return { status: 200, headers: found.headers, body: found.answer };
  };
  return serve({ handler, resources: nodeResources() }, '');
}

/** The server and the rings, over stores in memory that know the one count. */
export async function startRings({ constants }: ServerStart): Promise<ServerStarted> {
  const { answer } = constants.find(({ name }) => name === 'count')!;
  const { count } = JSON.parse(answer) as { count: number };
  const resources = nodeResources();
  const { runtime } = resources;
  const memory = memoryStores({ resources });
  const admin = createAdmin({ stores: memory, runtime });
  await admin.createTenant({ alias: 'bench', plan: 'custom', limits: null });
  const { secret } = await admin.createKey('bench', { name: 'bench', permissions: ['query'] });
  const stores: Stores = { ...memory, events: { ...memory.events, count: () => Promise.resolve(count) } };
  return serve(createApi({ stores, resources }), secret);
}
