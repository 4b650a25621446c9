import { createApi } from 'event-query';
import { createFetchHandler, webResources } from 'event-query/fetch';
import { memoryStores } from 'event-query/memory';

// The memory of an isolate is lost when it ends: this is for trying. Keep events in a server, and send them there.
async function open() {
  const resources = webResources();
  const api = createApi({ stores: memoryStores({ resources }), resources });
  await api.admin.createTenant({ alias: 'shop', plan: 'free' });
  const addressOf = (request) => request.headers.get('cf-connecting-ip') ?? undefined;
  return {
    shop: await api.tenant('shop'),
    handle: createFetchHandler({ api, prefix: '/analytics', addressOf }),
  };
}

// With the first request, because a Worker has neither time nor randomness before.
let opened;

const worker = {
  async fetch(request) {
    const { shop, handle } = await (opened ??= open());
    if (new URL(request.url).pathname !== '/orders') return handle(request);
    return Response.json({ orders: await shop.count({ event: 'order_placed' }) });
  },
};

export default worker;
