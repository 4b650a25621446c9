import Database from 'better-sqlite3';
import { createApi } from 'event-query';
import { nodeResources } from 'event-query/node-http';
import { sqliteStores } from 'event-query/sqlite';

async function open() {
  const resources = nodeResources();
  const stores = sqliteStores({ connect: () => new Database('events.db'), resources });
  const api = createApi({ stores, resources });
  const tenants = await api.admin.listTenants();
  if (tenants.length === 0) await api.admin.createTenant({ alias: 'shop', plan: 'free' });
  return api;
}

/** The API of this process. Next loads changed modules again while it develops; the file stays open once. */
export const analytics = () => (globalThis.analytics ??= open());
