import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Arena, LiveAttack } from './arena.ts';
import { fill, toBatches } from './fill.ts';
import { ATTACKER } from './flood.ts';

/** What came of connections that write and never read. */
interface Unread {
  readonly connected: number;
  readonly closed: number;
  /** The share of the bytes that the server took in, in percent. */
  readonly takenPercent: number;
}

/** Opens connections that write and never read, for some seconds. */
async function writeUnread(
  port: number,
  connections: number,
  bytes: Buffer | string,
  seconds: number,
): Promise<Unread> {
  const sockets: Socket[] = [];
  let [connected, closed] = [0, 0];
  for (let i = 0; i < connections; i++) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER });
    socket.pause();
    socket.on('error', () => undefined);
    socket.on('connect', () => (connected += 1));
    socket.on('close', () => (closed += 1));
    socket.write(bytes);
    sockets.push(socket);
  }
  await sleep(seconds * 1000);
  const left = sockets.reduce((sum, socket) => sum + (socket.destroyed ? 0 : socket.writableLength), 0);
  for (const socket of sockets) socket.destroy();
  const takenPercent = 100 - (100 * left) / (connections * Buffer.byteLength(bytes));
  return { connected, closed, takenPercent };
}

function toAnswers({ connected, closed, takenPercent }: Unread): string {
  return `${connected} connected, ${closed} cut off meanwhile, ${takenPercent.toFixed(1)} % written`;
}

const PIPELINED: Readonly<Record<string, (arena: Arena) => string | Promise<string>>> = {
  'GET /healthz': () => 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
  'a path that is not there': () => 'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n',
  'events of a batch each': async ({ tenant }) => {
    const { alias } = await tenant('mallory');
    const body = '[{"eventName":"e","userId":"u"}]';
    return (
      `POST /v1/events/${alias}/multi HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`
    );
  },
  'queries of a wrong key': () =>
    'POST /v1/api/query/shop HTTP/1.1\r\nHost: a\r\nX-API-Key: no\r\nContent-Type: application/json\r\n' +
    'Content-Length: 2\r\n\r\n{}',
};

/** Row 1: requests without end, answers that nobody reads. */
export const pipelines: readonly LiveAttack[] = Object.entries(PIPELINED).map(([what, toRequest], i) => ({
  name: `pipeline-${i + 1}`,
  what: `pipelined, nothing read: ${what}`,
  run: async (arena, { quick }) => {
    const [connections, requests, seconds] = quick ? [400, 20_000, 10] : [400, 20_000, 60];
    const bytes = (await toRequest(arena)).repeat(requests);
    const unread = await writeUnread(arena.server().port, connections, bytes, seconds);
    return {
      size: `${connections} connections, ${requests} requests each, ${seconds} s`,
      answers: toAnswers(unread),
      wrong: [],
    };
  },
}));

/** Row 9: pages that nobody reads. */
export const unreadPages: LiveAttack = {
  name: 'unread-pages',
  what: 'large pages that nobody reads',
  prepares: true,
  run: async (arena, { quick }) => {
    const kilobytes = quick ? 100 : 250;
    const { alias, secret } = await arena.tenant('mallory');
    const text = 'x'.repeat(kilobytes * 1000);
    const event = (i: number) => `{"eventName":"e","userId":"u","properties":{"i":${i},"text":"${text}"}}`;
    const { accepted } = await fill(arena.server().origin, alias, toBatches(1000, event));
    await arena.measure();
    const body = '{"pagination":{"size":1000}}';
    const request =
      `POST /v1/api/query/${alias} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${secret}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const unread = await writeUnread(arena.server().port, 12, request, quick ? 12 : 40);
    const page = await readPage(arena, alias, secret);
    const short = page.status === 200 && page.events !== 1000 ? ['a page is not whole'] : [];
    const refused = page.status !== 200 && page.status !== 400 ? [`a page that is read: ${page.status}`] : [];
    return {
      size: `12 pages of ${accepted} events of ${kilobytes} KB`,
      answers: `${toAnswers(unread)}; one that is read: ${page.status}, ${page.events} events`,
      wrong: [...short, ...refused],
    };
  },
};

/** Asks for a page and reads it. */
async function readPage(
  { server }: Arena,
  alias: string,
  secret: string,
): Promise<{ status: number; events: number; text: string }> {
  const answer = await fetch(`${server().origin}/v1/api/query/${alias}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': secret },
    body: '{"pagination":{"size":1000}}',
  });
  const text = await answer.text();
  const events = answer.status === 200 ? (JSON.parse(text) as unknown[]).length : 0;
  return { status: answer.status, events, text: text.slice(0, 300) };
}

/** Row 23: one page of the largest events. */
export const largestPage: LiveAttack = {
  name: 'largest-page',
  what: 'a page of 600 events of 1 MB, twelve readers',
  prepares: true,
  run: async (arena, { quick }) => {
    const count = quick ? 200 : 600;
    const { alias, secret } = await arena.tenant('mallory');
    const text = 'y'.repeat(1_000_000);
    const event = (i: number) => `{"eventName":"e","userId":"u","properties":{"i":${i},"text":"${text}"}}`;
    await fill(arena.server().origin, alias, toBatches(count, event));
    await arena.measure();
    const pages = await Promise.all(Array.from({ length: 12 }, () => readPage(arena, alias, secret)));
    const statuses = new Map<number, number>();
    for (const { status } of pages) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const wrong = pages
      .filter(({ status, events }) => (status === 200 ? events !== count : ![400, 503].includes(status)))
      .map(({ status, events, text }) => `${status}, ${events} events: ${text}`);
    return {
      size: `${count} events of 1 MB, size 1000, 12 at once`,
      answers: [...statuses].map(([status, times]) => `${status}: ${times}`).join(', '),
      wrong,
    };
  },
};
