import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sampleEvents } from '../events.ts';
import { listen, readJson } from './constant-servers.ts';
import type { ServerStart, ServerStarted } from './protocol.ts';

interface Row {
  readonly eventName: string;
  readonly userId: string;
  readonly eventTs: number;
  readonly properties: string;
  readonly insertId: string;
}

/** Pages as most services make them: select, parse the JSON of each row, stringify. No keys, no limits. */
export function startByHand({ folder, rows, constants }: ServerStart): Promise<ServerStarted> {
  const database = new Database(join(folder, 'by-hand.db'));
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE events (ts INTEGER, insert_id TEXT, name TEXT, user_id TEXT, props TEXT);
    CREATE UNIQUE INDEX newest ON events (ts DESC, insert_id DESC)`);
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?)');
  database.transaction(() => {
    for (const { eventTs, insertId, eventName, userId, propertiesJson } of sampleEvents(rows)) {
      insert.run(eventTs, insertId, eventName, userId, propertiesJson);
    }
  })();
  const select = database.prepare<[number], Row>(
    `SELECT name AS eventName, user_id AS userId, ts AS eventTs, props AS properties, insert_id AS insertId
     FROM events ORDER BY ts DESC, insert_id DESC LIMIT ?`,
  );
  const headers = constants[0]?.headers ?? {};
  return listen((request, response) => {
    void readJson(request).then((body) => {
      const { size } = (body as { pagination: { size: number } }).pagination;
      const events = select.all(size).map(({ eventName, userId, eventTs, properties, insertId }) => {
        const instant = new Date(eventTs).toISOString();
        const parsed: unknown = JSON.parse(properties);
        return {
          eventName,
          userId,
          eventTs: instant,
          properties: parsed,
          eventDate: instant.slice(0, 10),
          insertId,
        };
      });
      const answer = `${JSON.stringify(events)}\n`;
      response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(answer) }).end(answer);
    });
  });
}
