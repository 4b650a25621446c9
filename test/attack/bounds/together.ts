import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { collidingDoubles } from '../live/colliding-numbers.ts';
import { DEFAULT_LIMITS, type Arena, type LiveAttack } from './arena.ts';
import { DEAR, filterSet, sampleEvent } from './dear.ts';
import { fill, toBatches } from './fill.ts';
import { ATTACKER, flood, toWords, type Shot, type Tally } from './flood.ts';
import { DENSE } from './ingestion.ts';

/** What is stored before: many events, large pages, large values, and numbers that collide. */
async function prepare(arena: Arena, quick: boolean): Promise<Readonly<Record<string, string>>> {
  const { origin } = arena.server();
  const secrets: Record<string, string> = {};
  const stored = async (alias: string, count: number, event: (i: number) => string) => {
    secrets[alias] = (await arena.tenant(alias)).secret;
    await fill(origin, alias, toBatches(count, event), { seconds: 900 });
  };
  await stored('many', quick ? 50_000 : 300_000, sampleEvent);
  const page = 'x'.repeat(quick ? 20_000 : 100_000);
  await stored('pages', 1000, (i) => `{"eventName":"e","userId":"u","properties":{"i":${i},"t":"${page}"}}`);
  const large = 'v'.repeat(32_000);
  await stored('large', quick ? 2000 : 16_384, (i) =>
    i < 1000
      ? '{"eventName":"e","userId":"u","properties":{"p":1}}'
      : `{"eventName":"e","userId":"u","properties":{"p":"${i}${large}"}}`,
  );
  const doubles = collidingDoubles(quick ? 16_384 : 98_304);
  await stored(
    'doubles',
    doubles.length,
    (i) => `{"eventName":"e","userId":"u","properties":{"n":${doubles[i]}}}`,
  );
  return secrets;
}

/** Every attack at once, each on connections of its own, 200 in all. */
export function allTogether(minutes: number): LiveAttack {
  return {
    name: 'together',
    what: `all attacks together for ${minutes} minutes from 200 connections`,
    prepares: true,
    run: async (arena, { quick }) => {
      const secrets = await prepare(arena, quick);
      for (const alias of ['anyone', 'names', 'disk', 'slow']) await arena.tenant(alias, DEFAULT_LIMITS);
      await arena.measure();
      const seconds = minutes * 60;
      const endsAt = performance.now() + seconds * 1000;
      const goesOn = () => performance.now() < endsAt;
      const tallies: Record<string, Promise<Tally>> = {};
      const shoot = (name: string, connections: number, shot: (i: number) => Shot) => {
        const options = { connections, total: Infinity, seconds, shot };
        tallies[name] = flood(arena.server().origin, options);
      };
      const ask = (alias: string, what: 'count/' | '', body: string): Shot => ({
        path: `/v1/api/query/${what}${alias}`,
        headers: { 'X-API-Key': secrets[alias]! },
        body,
      });
      const operand = 'v'.repeat(240_000);
      shoot('fresh operands', 10, (i) =>
        ask('many', 'count/', oneFilter(`properties.f${i}`, `${i}${operand}`)),
      );
      shoot('fresh paths', 10, (i) =>
        ask(
          'many',
          'count/',
          filterSet(100, (k) => isNull(`properties.p${i}x${k}`)),
        ),
      );
      for (const [name, { leaves, leaf }] of Object.entries(DEAR)) {
        shoot(`dear ${name}`, 5, (i) =>
          ask(
            'many',
            'count/',
            filterSet(leaves, (k) => leaf(i, k)),
          ),
        );
      }
      shoot('large values', 5, (i) => ask('large', 'count/', oneFilter('properties.p', `${i}v`)));
      shoot('colliding numbers', 5, (i) => ask('doubles', 'count/', oneFilter('properties.n', i)));
      shoot('large pages', 5, () => ask('pages', '', '{"pagination":{"size":1000}}'));
      const dense = Object.values(DENSE).map((toBody) => toBody());
      const bombs = dense.map((text) => gzipSync(text, { level: 9 }));
      shoot('bombs', 10, (i) => gzipped('anyone', bombs[i % bombs.length]!));
      shoot('dense batches', 5, (i) => ({ path: toEvents('anyone'), body: dense[i % dense.length]! }));
      shoot('event names', 5, (i) => gzipped('names', gzipSync(namesFrom(i * 2000))));
      const noise = () => randomBytes(60).toString('hex') + 'a'.repeat(4000);
      const large = () => `{"eventName":"e","userId":"u","properties":{"t":"${noise()}"}}`;
      const bulk = gzipSync(`[${Array.from({ length: 2000 }, large).join(',')}]`);
      shoot('bulk', 5, () => gzipped('disk', bulk));
      shoot('wrong keys', 5, () => ({ ...ask('many', '', '{}'), headers: { 'X-API-Key': 'no' } }));
      const { port } = arena.server();
      const raw = [
        keepOpen(port, 40, goesOn, 30, 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000)),
        keepOpen(port, 12, goesOn, 30, pageRequest(secrets.pages!)),
        keepOpen(port, 43, goesOn, 20, slowHead),
        keepOpen(port, 20, goesOn, 0.06, dearRequest(secrets.many!)),
      ];
      const names = Object.keys(tallies);
      const all = await Promise.all(Object.values(tallies));
      await Promise.all(raw);
      const answers = all.map((tally, i) => `\n      ${names[i]}: ${toWords(tally)}`);
      const bad = all.flatMap((tally, i) =>
        [...tally.statuses]
          .filter(([status]) => status === '500')
          .map(([, times]) => `${names[i]}: ${times} answers of 500`),
      );
      return { size: '200 connections', answers: answers.join(''), wrong: bad };
    },
  };
}

const oneFilter = (property: string, value: unknown) =>
  JSON.stringify({ filterSet: [{ property, comparison: 'EQUALS', value }] });
const isNull = (property: string) => ({ property, comparison: 'IS_NULL', value: null });

const toEvents = (alias: string) => `/v1/events/${alias}/multi`;

function gzipped(alias: string, body: Uint8Array): Shot {
  return { path: toEvents(alias), headers: { 'Content-Encoding': 'gzip' }, body };
}

function namesFrom(first: number): string {
  const events = Array.from({ length: 2000 }, (_, k) => `{"eventName":"name-${first + k}","userId":"u"}`);
  return `[${events.join(',')}]`;
}

const slowHead =
  'POST /v1/events/slow/multi HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
  'Content-Length: 100000\r\n\r\n[';

function toPost(path: string, secret: string, body: string): string {
  return (
    `POST /v1/api/query/${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${secret}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

const pageRequest = (secret: string) => toPost('pages', secret, '{"pagination":{"size":1000}}');
const dearRequest = (secret: string) =>
  toPost(
    'count/many',
    secret,
    filterSet(100, (k) => DEAR['NOT_CONTAINS on session']!.leaf(1e6, k)),
  );

/** Connections that write and read nothing; each is dropped after a while and opened again. */
async function keepOpen(
  port: number,
  connections: number,
  goesOn: () => boolean,
  seconds: number,
  bytes: string,
): Promise<void> {
  const lane = async () => {
    while (goesOn()) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER });
      socket.pause();
      socket.on('error', () => undefined);
      socket.write(bytes);
      await sleep(seconds * 1000);
      socket.destroy();
      // Without it, one that leaves at once would be a flood of connections, which a firewall is for.
      await sleep(40);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
}
