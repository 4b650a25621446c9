import Database from 'better-sqlite3';
import { createEngine } from 'event-query';
import { nodeResources } from 'event-query/node-http';
import { sqliteStores } from 'event-query/sqlite';

const resources = nodeResources();
const stores = sqliteStores({ connect: () => new Database('events.db'), resources });
const shop = createEngine({ events: stores.events, resources }).tenant('shop');

// With a time and an id of its own an event is stored once, however often this program runs.
const { rejected } = await shop.append([
  {
    eventName: 'order_placed',
    userId: 'ada',
    eventTs: '2024-05-03T10:00:00Z',
    insertId: 'order-1',
    properties: { total: 64 },
  },
]);
for (const { index, error } of rejected) console.error(`events[${index}]: ${error}`);
const above = { property: 'properties.total', comparison: 'GREATER_THAN', value: 50 };
console.log(`${await shop.count({ event: 'order_placed', filterSet: [above] })} order above 50`);
await stores.close();
