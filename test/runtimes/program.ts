import { createFetchHandler, webResources, type FetchHandler } from '../../adapters/fetch/index.ts';
import { memoryStores } from '../../adapters/memory/index.ts';
import { createApi } from '../../src/index.ts';

interface Served {
  readonly handle: FetchHandler;
  readonly secret: string;
}

/** What a client sends in the place of the key, which it cannot know. */
const KEY = '$key';

let served: Promise<Served> | undefined;

async function start(): Promise<Served> {
  const resources = webResources();
  const api = createApi({ stores: memoryStores({ resources }), resources });
  await api.admin.createTenant({ alias: 'shop', plan: 'custom', limits: null });
  const { secret } = await api.admin.createKey('shop', { name: 'test', permissions: ['query'] });
  return { handle: createFetchHandler({ api }), secret };
}

/**
 * The API over stores in memory, as a program of any runtime has it. It begins with the first request,
 * because Workers have neither time nor chance before.
 */
export async function serve(request: Request): Promise<Response> {
  const { handle, secret } = await (served ??= start());
  if (request.headers.get('X-API-Key') !== KEY) return handle(request);
  const keyed = new Request(request);
  keyed.headers.set('X-API-Key', secret);
  return handle(keyed);
}
