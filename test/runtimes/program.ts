import { createSender } from '../../adapters/client/index.ts';
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

/** Where a request asks the program to send events to another server. */
export const SEND = '/send';
/** How many it sends. */
export const SENT = 1200;

/** Sends events to a server, and answers with the reasons why some were not stored. */
async function send(url: string): Promise<Response> {
  const reported: string[] = [];
  const onError = (error: Error) => void reported.push(error.message);
  const sender = createSender({ url, tenant: 'shop', closeMs: 60_000, onError });
  for (let i = 0; i < SENT; i++) sender.append({ eventName: 'sent', userId: 'ada', properties: { i } });
  await sender.close();
  return Response.json(reported);
}

/**
 * The API over stores in memory, as a program of any runtime has it. It begins with the first request,
 * because Workers have neither time nor chance before.
 */
export async function serve(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === SEND) return send(searchParams.get('to')!);
  const { handle, secret } = await (served ??= start());
  if (request.headers.get('X-API-Key') !== KEY) return handle(request);
  const keyed = new Request(request);
  keyed.headers.set('X-API-Key', secret);
  return handle(keyed);
}
