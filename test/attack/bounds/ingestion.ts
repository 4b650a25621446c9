import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { mebibytesOf, type LiveAttack } from './arena.ts';
import { BATCH_EVENTS_MAX, fill, toBatches } from './fill.ts';
import { flood, toWords, unexpected } from './flood.ts';

/** Row 5: names of events without end. */
export const eventNames: LiveAttack = {
  name: 'event-names',
  what: 'a million distinct event names, and the list of them',
  run: async ({ tenant, server }, { quick }) => {
    const total = quick ? 200_000 : 1_000_000;
    const { alias, secret } = await tenant('mallory');
    const event = (i: number) => `{"eventName":"name-${i}","userId":"u"}`;
    const { accepted, rejected, bytes, reason } = await fill(
      server().origin,
      alias,
      toBatches(total, event),
      {
        lanes: 4,
      },
    );
    const tally = await flood(server().origin, {
      connections: 2,
      total: 6,
      shot: () => ({
        method: 'GET',
        path: `/v1/api/query/events/${alias}`,
        headers: { 'X-API-Key': secret },
      }),
    });
    const [name] = /a tenant has at most[^"]*/.exec(reason) ?? [];
    return {
      size: `${total} events, ${(bytes / 1_048_576).toFixed(1)} MiB of gzip`,
      answers:
        `${accepted} taken, ${rejected} refused (${name ?? reason.slice(0, 200)}); ` +
        `lists: ${toWords(tally)}`,
      wrong: [
        ...(accepted > 10_000 ? [`${accepted} distinct names were taken, where 10,000 are promised`] : []),
        ...(rejected > 0 && name === undefined ? [`the report says ${reason.slice(0, 200)}`] : []),
        ...unexpected(tally, '200'),
      ],
    };
  },
};

/** The largest text that a batch may unpack to. */
const BATCH_BYTES = 10_485_760;

/** A batch of the same event as often as the server takes it. */
function toBatch(event: string): string {
  const times = Math.min(BATCH_EVENTS_MAX, Math.floor(BATCH_BYTES / (event.length + 1)) - 1);
  return `[${`${event},`.repeat(times - 1)}${event}]`;
}

/** Bodies that are small on the wire and much work behind it, of about 10 MB each. */
export const DENSE: Readonly<Record<string, () => string>> = {
  'empty events': () => `[${'{},'.repeat(Math.floor(BATCH_BYTES / 3) - 2)}{}]`,
  'empty lists': () => `[${'[],'.repeat(Math.floor(BATCH_BYTES / 3) - 2)}[]]`,
  numbers: () => `[${'0,'.repeat(Math.floor(BATCH_BYTES / 2) - 2)}0]`,
  'events of many keys': () => {
    const keys = Array.from({ length: 500 }, (_, i) => `"k${i}":0`).join(',');
    const event = `{"eventName":"e","userId":"u","properties":{${keys}}}`;
    return toBatch(event);
  },
  'small events beyond the number': () => {
    const event = '{"eventName":"e","userId":"u"}';
    return `[${`${event},`.repeat(Math.floor(BATCH_BYTES / (event.length + 1)) - 2)}${event}]`;
  },
  'deep events': () => {
    const deep = '['.repeat(60) + ']'.repeat(60);
    const keys = Array.from({ length: 40 }, (_, i) => `"k${i}":${deep}`).join(',');
    return toBatch(`{"eventName":"e","userId":"u","properties":{${keys}}}`);
  },
  'large integers': () => {
    const numbers = '12345678901234567890,'.repeat(400);
    const event = `{"eventName":"e","userId":"u","properties":{"a":[${numbers}1]}}`;
    return toBatch(event);
  },
  'escaped text': () => {
    const event = `{"eventName":"e","userId":"u","properties":{"a":"${'\\u0041'.repeat(20_000)}"}}`;
    return toBatch(event);
  },
};

/** Row 7: batches that are parsed and stored in one turn. */
export const denseBatches: readonly LiveAttack[] = Object.entries(DENSE).map(([what, toBody]) => ({
  name: `dense-${what.replaceAll(' ', '-')}`,
  what: `10 MB of ${what}, in little gzip and as they are, 16 at once`,
  run: async ({ tenant, server }, { quick }) => {
    const { alias } = await tenant('mallory');
    const text = toBody();
    const body = gzipSync(text, { level: 9 });
    const tally = await flood(server().origin, {
      connections: 16,
      total: quick ? 16 : 64,
      seconds: 60,
      // What unpacks to a hundred times its size is refused as a bomb, and costs less.
      shot: (i) => ({
        path: `/v1/events/${alias}/multi`,
        ...(i % 2 === 0 ? { headers: { 'Content-Encoding': 'gzip' }, body } : { body: text }),
      }),
    });
    return {
      size: `${quick ? 16 : 64} of ${(body.length / 1024).toFixed(0)} KiB`,
      answers: `${toWords(tally)}, the slowest after ${(tally.slowestMs / 1000).toFixed(1)} s`,
      wrong: unexpected(tally, '200', '400', '413', '429', '503'),
    };
  },
}));

/** Row 7: what an anonymous sender may put on the disk. */
export const diskByGzip: LiveAttack = {
  name: 'disk-by-gzip',
  what: 'an anonymous sender fills the disk for 30 s',
  run: async ({ tenant, server, db }, { quick }) => {
    const { alias } = await tenant('mallory');
    const text = 'a'.repeat(8800);
    // As little gzip as is not yet taken for a bomb.
    const event = (i: number) =>
      `{"eventName":"e","userId":"u","properties":{"t":"${randomBytes(80).toString('hex')}${i}${text}"}}`;
    const batches = [...toBatches(4600, event)];
    const bodies = batches.map((batch) => gzipSync(batch, { level: 9 }));
    const seconds = quick ? 15 : 30;
    const before = mebibytesOf(db) + mebibytesOf(`${db}-wal`);
    const tally = await flood(server().origin, {
      connections: 8,
      total: 100_000,
      seconds,
      shot: (i) => ({
        path: `/v1/events/${alias}/multi`,
        headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'application/x-ndjson' },
        body: bodies[i % bodies.length]!,
      }),
    });
    await sleep(1000);
    const grown = mebibytesOf(db) + mebibytesOf(`${db}-wal`) - before;
    const limited = tally.statuses.has('429');
    // A full bucket and what it is given meanwhile. A slow machine does not send as much, and is refused
    // nothing; what is counted are its events, which are less than their batches.
    const allowed = 512 + (512 / 60) * seconds;
    const taken =
      ((tally.statuses.get('200') ?? 0) * Math.max(...batches.map(({ length }) => length))) / 2 ** 20;
    return {
      size: `${seconds} s, 8 connections`,
      answers: `${toWords(tally)}; the file grew by ${grown.toFixed(0)} MiB`,
      // Pages of SQLite and its journal add to what was taken.
      wrong: [
        ...(grown > 1.6 * allowed ? ['an anonymous sender fills the disk'] : []),
        ...(limited || taken < 1.2 * allowed ? [] : ['no batch was refused with 429']),
        ...unexpected(tally, '200', '413', '429', '503'),
      ],
    };
  },
};
