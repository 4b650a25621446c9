import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Arena, LiveAttack } from './arena.ts';
import { fill, toBatches } from './fill.ts';
import { ATTACKER, flood, toWords, unexpected } from './flood.ts';

/** Events as an ordinary tenant has them, with ids of their own. */
export function sampleEvent(i: number): string {
  const scrambled = Math.imul(i, 0x9e3779b1) >>> 0;
  const eventTs = new Date(Date.UTC(2025, 0, 1) + (scrambled % 31_536_000) * 1000).toISOString();
  const id = scrambled.toString(16).padStart(8, '0');
  const properties =
    `"amount":${scrambled % 10_000},"plan":"${['free', 'pro', 'team'][i % 3]}",` +
    `"path":"/products/${scrambled % 20_000}","session":"s-${id}"`;
  return (
    `{"eventName":"event-${i % 9}","userId":"user-${scrambled % 50_000}","eventTs":"${eventTs}",` +
    `"insertId":"${id}-${i}","properties":{${properties}}}`
  );
}

async function fillSample(arena: Arena, total: number): Promise<{ alias: string; secret: string }> {
  const tenant = await arena.tenant('mallory');
  await fill(arena.server().origin, tenant.alias, toBatches(total, sampleEvent), { seconds: 900 });
  return tenant;
}

type Leaf = (i: number, k: number) => object;

const instant = (i: number, k: number) =>
  new Date(Date.UTC(2025, 0, 1) + (i * 100 + k) * 5_000_000).toISOString();

/** The dearest filters that we know, by what they are on. */
export const DEAR: Readonly<Record<string, { readonly leaves: number; readonly leaf: Leaf }>> = {
  'on eventTs': {
    leaves: 100,
    leaf: (i, k) => ({ property: 'eventTs', comparison: 'NOT_EQUALS', value: instant(i, k) }),
  },
  'on insertId': {
    leaves: 100,
    leaf: (i, k) => ({ property: 'insertId', comparison: 'NOT_EQUALS', value: `${i}-${k}` }),
  },
  'NOT_CONTAINS on session': {
    leaves: 100,
    leaf: (i, k) => ({ property: 'properties.session', comparison: 'NOT_CONTAINS', value: `x${i}y${k}` }),
  },
  'NOT_CONTAINS on insertId': {
    leaves: 20,
    leaf: (i, k) => ({ property: 'insertId', comparison: 'NOT_CONTAINS', value: `x${i}y${k}` }),
  },
};

/** A body of as many filters. */
export const filterSet = (count: number, leaf: (k: number) => object) =>
  JSON.stringify({ filterSet: Array.from({ length: count }, (_, k) => leaf(k)) });

/** Asks as many questions at once of a tenant with many events: each is answered, or refused for now. */
function askAtOnce(count: number, path: string, bodyOf: (i: number) => string): LiveAttack['run'] {
  return async (arena, { quick }) => {
    const total = quick ? 200_000 : 1_000_000;
    const { alias, secret } = await fillSample(arena, total);
    await arena.measure();
    const tally = await flood(arena.server().origin, {
      ...{ connections: count, total: count },
      shot: (i) => ({
        path: `/v1/api/query/${path}/${alias}`,
        headers: { 'X-API-Key': secret },
        body: bodyOf(i),
      }),
    });
    return {
      size: `${count} at once over ${total} events`,
      answers: `${toWords(tally)}, the slowest after ${(tally.slowestMs / 1000).toFixed(1)} s`,
      wrong: [
        ...unexpected(tally, '200', '503'),
        ...(tally.statuses.has('200') ? [] : ['no question was answered']),
      ],
    };
  };
}

/** Row 10: the dearest questions over many events, many at once. */
export const dearQuestions: readonly LiveAttack[] = Object.entries(DEAR).map(([what, { leaves, leaf }]) => ({
  name: `dear-${what.replaceAll(' ', '-').toLowerCase()}`,
  what: `60 counts of ${leaves} filters ${what} at once`,
  prepares: true,
  run: askAtOnce(60, 'count', (i) => filterSet(leaves, (k) => leaf(i, k))),
}));

const FIGURES = ['sum', 'avg', 'min', 'max', 'p1', 'p25', 'p50', 'p75', 'p95', 'p99'] as const;

/** The dearest questions beyond counts, each time with a filter that was not asked before. */
const DEAR_TABLES: Readonly<Record<string, { readonly path: string; readonly body: (i: number) => object }>> =
  {
    'sequences of ten steps': {
      path: 'sequence',
      body: (i) => ({
        steps: Array.from({ length: 10 }, (_, k) => ({
          filterSet: [DEAR['NOT_CONTAINS on session']!.leaf(i, k)],
        })),
        ...{ within: '52w', same: ['properties.plan'], by: 'properties.path', percentiles: ['p50', 'p99'] },
      }),
    },
    'users of sequences': {
      path: 'users',
      body: (i) => ({
        distinct: 'properties.session',
        having: Array.from({ length: 10 }, (_, k) => ({
          ...{ filterSet: [DEAR['NOT_CONTAINS on session']!.leaf(i, k)], atLeast: 1 },
        })),
        sequence: { steps: [{ event: 'event-1' }, { event: 'event-2' }], stopped: 1 },
      }),
    },
    'differences by ids': {
      path: 'compare',
      body: (i) => ({
        selected: { filterSet: [DEAR['NOT_CONTAINS on session']!.leaf(i, 0)] },
        paths: ['properties.session', 'userId', 'properties.path', 'properties.amount', 'eventDate'],
      }),
    },
    'ten thousand cells with percentiles': {
      path: 'breakdown',
      body: (i) => ({
        ...{ by: ['properties.path', 'properties.amount'], size: [100, 100] },
        measures: [
          { of: 'properties.amount', take: FIGURES },
          { of: 'properties.amount', take: ['p5', 'p10', 'p90'] },
        ],
        filterSet: [DEAR['NOT_CONTAINS on session']!.leaf(i, 0)],
      }),
    },
  };

/** Row 10, siblings: tables over many events, some at once. */
export const dearTables: readonly LiveAttack[] = Object.entries(DEAR_TABLES).map(
  ([what, { path, body }]) => ({
    name: `dear-${what.replaceAll(' ', '-')}`,
    what: `20 ${what} at once`,
    prepares: true,
    run: askAtOnce(20, path, (i) => JSON.stringify(body(i))),
  }),
);

/** Tails from a position of another log, which begin anew, and to which nothing comes. */
export const forgedTails: LiveAttack = {
  name: 'forged-tails',
  what: '40 tails at once from a forged position, by a filter that nothing matches',
  prepares: true,
  run: async (arena, { quick }) => {
    const total = quick ? 50_000 : 200_000;
    const { alias, secret } = await fillSample(arena, total);
    await arena.measure();
    const { origin } = arena.server();
    const path = `/v1/api/query/tail/${alias}`;
    const headers = { 'X-API-Key': secret, 'X-Tail-Position': '999999.7' };
    const bodyOf = (i: number) =>
      filterSet(1, () => ({ property: 'properties.session', comparison: 'EQUALS', value: `x${i}` }));
    const tally = await flood(origin, {
      ...{ connections: 40, total: 40 },
      shot: (i) => ({ path, headers, body: bodyOf(i) }),
    });
    const json = { 'Content-Type': 'application/json' };
    const last = await fetch(origin + path, {
      ...{ method: 'POST', headers: { ...headers, ...json }, body: bodyOf(40) },
    });
    const row = Number(last.headers.get('X-Tail-Position')?.split('.')[1]);
    return {
      size: `40 at once over ${total} events`,
      answers: `${toWords(tally)}, the slowest after ${(tally.slowestMs / 1000).toFixed(1)} s`,
      wrong: [
        ...unexpected(tally, '200'),
        ...(row > 0 && row < total ? [] : [`one answer looked at all ${total} events`]),
      ],
    };
  },
};

/** Row 11: work for clients that have gone. */
export const goneClients: LiveAttack = {
  name: 'gone-clients',
  what: '60 dear counts whose clients leave after 60 ms: the work that goes on',
  prepares: true,
  run: async (arena, { quick }) => {
    const total = quick ? 200_000 : 1_000_000;
    const { alias, secret } = await fillSample(arena, total);
    await settle(arena);
    await arena.measure();
    const before = arena.cpuSeconds();
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const body = filterSet(100, (k) => DEAR['NOT_CONTAINS on session']!.leaf(i, k));
        const socket = connect({ port: arena.server().port, host: '127.0.0.1', localAddress: ATTACKER });
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        socket.write(
          `POST /v1/api/query/count/${alias} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${secret}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
        await sleep(60);
        socket.destroy();
      }),
    );
    const seconds = quick ? 5 : 10;
    await sleep(1000);
    const soon = arena.cpuSeconds();
    await sleep(seconds * 1000);
    const spent = arena.cpuSeconds() - soon;
    // The ordinary tenant goes on meanwhile, which takes some of it.
    const idle = spent < seconds / 4;
    return {
      size: `60 over ${total} events`,
      answers:
        `${(soon - before).toFixed(1)} s of processor time in the first second, ` +
        `${spent.toFixed(1)} s in the ${seconds} s after it`,
      wrong: idle ? [] : ['the server works for clients that have gone'],
    };
  },
};

/** Waits until the server has made the columns that it makes in idle time. */
async function settle(arena: Arena): Promise<void> {
  for (let quiet = 0, left = 60; quiet < 2 && left > 0; left--) {
    const before = arena.cpuSeconds();
    await sleep(2000);
    quiet = arena.cpuSeconds() - before < 0.1 ? quiet + 1 : 0;
  }
}

/** Row 24: a question while its log grows. */
export const growingLog: LiveAttack = {
  name: 'growing-log',
  what: 'a count of 100 paths while events come in as fast as they are taken',
  prepares: true,
  run: async (arena, { quick }) => {
    const total = quick ? 100_000 : 300_000;
    const { alias, secret } = await fillSample(arena, total);
    await arena.measure();
    let goesOn = true;
    function* more(): Generator<string> {
      for (let i = total; goesOn; i += 1000)
        yield Array.from({ length: 1000 }, (_, k) => sampleEvent(i + k)).join('\n');
    }
    const filling = fill(arena.server().origin, alias, more(), { lanes: 4, seconds: 150 });
    await sleep(1000);
    const tally = await flood(arena.server().origin, {
      connections: 1,
      total: 2,
      shot: (i) => ({
        path: `/v1/api/query/count/${alias}`,
        headers: { 'X-API-Key': secret },
        body: filterSet(100, (k) => ({
          property: k % 4 === 0 ? `properties.nothing${i}x${k}` : `properties.session.x${i}y${k}`,
          comparison: 'IS_NULL',
          value: null,
        })),
      }),
    });
    goesOn = false;
    const { accepted } = await filling;
    const slow = tally.slowestMs > 30_000;
    return {
      size: `${total} events, ${accepted} more meanwhile`,
      answers: `${toWords(tally)}, the slowest after ${(tally.slowestMs / 1000).toFixed(1)} s`,
      wrong: [...(slow ? ['a question chases its log'] : []), ...unexpected(tally, '200', '503')],
    };
  },
};
