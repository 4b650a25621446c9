import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Arena, LiveAttack } from './arena.ts';
import { fill, toBatches } from './fill.ts';

/** How often a text stands in the files of a database. */
function occurrences({ db }: Arena, text: string): number {
  let found = 0;
  for (const path of [db, `${db}-wal`]) {
    if (!existsSync(path)) continue;
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) found += 1;
  }
  return found;
}

/** Row 13: what a deleted tenant leaves. */
export const deletedTenant: LiveAttack = {
  name: 'deleted-tenant',
  what: 'a tenant is deleted for good: what of it can be read in the file',
  run: async (arena, { quick }) => {
    const total = quick ? 10_011 : 50_000;
    const { alias, secret } = await arena.tenant('mallory');
    const event = (i: number) =>
      `{"eventName":"e","userId":"person-${i}","properties":{"mail":"person-${i}@example.org"}}`;
    await fill(arena.server().origin, alias, toBatches(total, event));
    // Columns, their chunks and the order are copies of what was stored.
    for (const property of ['userId', 'properties.mail']) {
      await fetch(`${arena.server().origin}/v1/api/query/${alias}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
        body: JSON.stringify({ filterSet: [{ property, comparison: 'EQUALS', value: 'person-7' }] }),
      });
    }
    const before = occurrences(arena, 'person-');
    await arena.cli('tenant', 'delete', alias, '--yes');
    let after = occurrences(arena, 'person-');
    const atOnce = after;
    // What the file may still hold until it is compacted is said in the README.
    const help = await arena.cli('--help');
    if (after > 0 && /\bcompact\b/.test(help)) {
      await arena.restart();
      await arena.server().stop();
      await arena.cli('compact');
      after = occurrences(arena, 'person-');
      await arena.restart();
    }
    return {
      size: `${total} events`,
      answers: `${before} ids in the files before, ${atOnce} after the delete, ${after} after \`compact\``,
      wrong: after > 0 ? [`${after} ids can still be read`] : [],
    };
  },
};

/** Row 14: events that were on their way when their tenant was deleted. */
export const deletedMeanwhile: LiveAttack = {
  name: 'deleted-meanwhile',
  what: 'events whose tenant is deleted while their body trickles, and 40 batches at that moment',
  run: async (arena) => {
    const statuses: string[] = [];
    const { alias } = await arena.tenant('mallory');
    const body = `[{"eventName":"e","userId":"orphan-slow"}]`;
    const sockets = Array.from({ length: 10 }, () => {
      const socket = connect({ port: arena.server().port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      socket.on('error', () => undefined);
      socket.once('data', (data) => statuses.push(data.toString('latin1').split(' ')[1] ?? '?'));
      socket.write(
        `POST /v1/events/${alias}/multi HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
      );
      return socket;
    });
    let goesOn = true;
    function* more(): Generator<string> {
      while (goesOn) yield '{"eventName":"e","userId":"orphan-fast"}\n'.repeat(2000).trim();
    }
    const filling = fill(arena.server().origin, alias, more(), { lanes: 4, seconds: 60 }).catch(
      (error: unknown) => ({ error: String(error) }),
    );
    await sleep(1000);
    await arena.cli('tenant', 'delete', alias, '--yes');
    for (const socket of sockets) if (socket.writable) socket.write(body.slice(10));
    await sleep(2000);
    goesOn = false;
    const ended = await filling;
    for (const socket of sockets) socket.destroy();
    const left = orphans(arena);
    return {
      size: '10 slow bodies, 4 fast senders',
      answers:
        `slow: ${[...new Set(statuses)].join(', ')}; fast: ${JSON.stringify(ended).slice(0, 90)}; ` +
        `${left} orphans`,
      wrong: [
        ...(statuses.includes('200') ? ['events of a deleted tenant were acknowledged'] : []),
        ...(left > 0 ? [`${left} events without a tenant are stored for ever`] : []),
      ],
    };
  },
};

/** How many stored events belong to no tenant. */
function orphans({ db }: Arena): number {
  const database = new Database(db, { readonly: true });
  try {
    const events = database.prepare('SELECT count(*) AS n FROM events').get() as { n: number };
    const tenants = database.prepare("SELECT place AS alias FROM documents WHERE kind = 'tenant'").all() as {
      alias: string;
    }[];
    if (tenants.some(({ alias }) => alias === 'mallory')) throw new Error('the tenant is still there');
    // The ordinary tenant is the only one left, and its events are known by their names.
    const own = database
      .prepare("SELECT count(*) AS n FROM events WHERE name IN ('seen', 'bought', 'sent')")
      .get() as { n: number };
    return events.n - own.n;
  } finally {
    database.close();
  }
}

/** Row 15: who may read the files. */
export const fileModes: LiveAttack = {
  name: 'file-modes',
  what: 'who else may read the database, its journal and an export',
  run: async (arena) => {
    const out = arena.file('export.ndjson');
    await arena.cli('export', 'shop', '--out', out);
    const files = [arena.db, `${arena.db}-wal`, `${arena.db}-shm`, out].filter((path) => existsSync(path));
    const modes = files.map((path) => (statSync(path).mode & 0o777).toString(8));
    const open = files.filter((path) => (statSync(path).mode & 0o077) !== 0);
    return {
      size: `${files.length} files`,
      answers: modes.join(', '),
      wrong: open.map((path) => `${path.split('/').at(-1)} can be read by others`),
    };
  },
};
