import Database from 'better-sqlite3';
import { createApi } from 'event-query';
import { createNodeListener, nodeResources } from 'event-query/node-http';
import { sqliteStores } from 'event-query/sqlite';
import fastify from 'fastify';

const resources = nodeResources();
const stores = sqliteStores({ connect: () => new Database('events.db'), resources });
const api = createApi({ stores, resources });
const tenants = await api.admin.listTenants();
if (tenants.length === 0) await api.admin.createTenant({ alias: 'shop', plan: 'free' });
const shop = await api.tenant('shop');
// Fastify leaves the prefix in the URL.
const listener = createNodeListener({ api, prefix: '/analytics' });

const app = fastify();
await app.register(
  async (scope) => {
    // Before Fastify reads the body.
    scope.addHook('onRequest', async (request, reply) => {
      reply.hijack();
      listener(request.raw, reply.raw);
    });
    scope.all('/*', () => undefined);
  },
  { prefix: '/analytics' },
);
app.get('/orders', async () => ({ orders: await shop.count({ event: 'order_placed' }) }));
app.addHook('onClose', () => stores.close());

const url = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) });
console.log(`listening on ${url}`);
