import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import Database from 'better-sqlite3';
import { createApi } from 'event-query';
import { createFetchHandler } from 'event-query/fetch';
import { nodeResources } from 'event-query/node-http';
import { sqliteStores } from 'event-query/sqlite';
import { Hono } from 'hono';

const resources = nodeResources();
const stores = sqliteStores({ connect: () => new Database('events.db'), resources });
const api = createApi({ stores, resources });
const tenants = await api.admin.listTenants();
if (tenants.length === 0) await api.admin.createTenant({ alias: 'shop', plan: 'free' });
const shop = await api.tenant('shop');
// Limits count each client by its own address.
const addressOf = (_request, context) => getConnInfo(context).remote.address;
const handle = createFetchHandler({ api, prefix: '/analytics', addressOf });

const app = new Hono();
app.all('/analytics/*', (context) => handle(context.req.raw, context));
app.get('/orders', async (context) => context.json({ orders: await shop.count({ event: 'order_placed' }) }));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`);
});
