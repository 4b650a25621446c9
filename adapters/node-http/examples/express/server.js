import Database from 'better-sqlite3';
import { createApi } from 'event-query';
import { createNodeListener, nodeResources } from 'event-query/node-http';
import { sqliteStores } from 'event-query/sqlite';
import express from 'express';

const resources = nodeResources();
const stores = sqliteStores({ connect: () => new Database('events.db'), resources });
const api = createApi({ stores, resources });
const tenants = await api.admin.listTenants();
if (tenants.length === 0) await api.admin.createTenant({ alias: 'shop', plan: 'free' });
const shop = await api.tenant('shop');

const app = express();
// Before anything that reads bodies.
app.use('/analytics', createNodeListener({ api }));
app.get('/orders', async (_request, response) => {
  response.json({ orders: await shop.count({ event: 'order_placed' }) });
});

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
