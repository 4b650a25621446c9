import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { startNginx } from '../../deploy/proxy.ts';
import { createFolder, createTenant } from '../../support/file.ts';
import { startServer } from '../../support/server-process.ts';
import { isInstalled, missingRow, quantile, toRow, type Row, type RunOptions } from './report.ts';

/** The ordinary clients, each with an address of its own, and how often each of them counts. */
const CLIENTS = 200;
const EVERY_MS = 2_000;
/** The connections of the one hostile client. */
const HOSTILE = 600;

const addressOf = (client: number) => `127.1.${Math.floor(client / 250)}.${1 + (client % 250)}`;
const HOSTILE_ADDRESS = '127.2.0.1';

/**
 * 200 clients and a hostile one behind one nginx, in plain HTTP so that nginx takes little of the two cores:
 * how long the 200 wait for an answer, and for their turn in the server, with and without `--trust-proxy`.
 */
export async function* runProxy(options: RunOptions): AsyncIterable<Row> {
  if (!isInstalled('nginx')) {
    yield missingRow('nginx', options);
    return;
  }
  const seconds = options.quick ? 4 : 15;
  for (const isTrusted of [false, true]) {
    for (const connections of [0, HOSTILE]) yield await measure({ isTrusted, connections, seconds }, options);
  }
}

interface Run {
  readonly isTrusted: boolean;
  readonly connections: number;
  readonly seconds: number;
}

async function measure({ isTrusted, connections, seconds }: Run, { quick }: RunOptions): Promise<Row> {
  const folder = createFolder();
  const db = folder.file('events.db');
  const shop = await createTenant(db, 'shop');
  const flags = isTrusted ? ['--trust-proxy', '127.0.0.1'] : [];
  const server = await startServer({ db, args: ['--log-addresses', ...flags] });
  const plain = (config: string) => config.replace(' ssl;', ';').replace(/^\s*ssl_.*$/gm, '');
  const nginx = await startNginx(folder.path, server.port, plain);
  const hostile = connections === 0 ? undefined : startHostile(nginx.port, connections);
  const endsAt = performance.now() + seconds * 1000;
  const waits: number[] = [];
  const statuses: Record<string, number> = {};
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      await pause((client / CLIENTS) * EVERY_MS);
      const ask = createClient(nginx.port, addressOf(client), shop.secret);
      while (performance.now() < endsAt) {
        const beganAt = performance.now();
        const status = await ask();
        const tookMs = performance.now() - beganAt;
        waits.push(tookMs);
        statuses[status] = (statuses[status] ?? 0) + 1;
        await pause(Math.max(0, EVERY_MS - tookMs));
      }
    }),
  );
  const answers = await hostile?.stop();
  await nginx.stop();
  await server.stop();
  folder.remove();
  const turns = server.log.filter(({ msg, status }) => msg === 'request' && status === 200);
  const turnMs = turns.map(({ waitedMs }) => Number(waitedMs));
  const toMs = (values: readonly number[]) =>
    [0.5, 0.99, 1].map((share) => quantile(values, share).toFixed(1)).join(' / ');
  const failed = Object.entries(statuses).filter(([status]) => status !== '200');
  const name = `proxy, ${isTrusted ? 'with' : 'without'} --trust-proxy, ${connections} hostile connections`;
  const figures =
    `answer ${toMs(waits)} ms, turn ${toMs(turnMs)} ms (median / 99 % / slowest of ${waits.length}), ` +
    `others ${JSON.stringify(statuses)}, hostile ${answers ?? 'none'}`;
  // Without the flag they share the fate of the hostile client, as the page says. A quick run is for machines
  // that may be too busy to tell.
  const wrong = isTrusted && !quick ? failed.map(([status, count]) => `${count} times ${status}`) : [];
  return toRow(name, figures, wrong);
}

/** Makes a client that counts over a connection of its own, as one after the other. */
function createClient(port: number, localAddress: string, secret: string): () => Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'content-type': 'application/json', 'x-api-key': secret };
  return () =>
    new Promise((resolve) => {
      const options = { agent, host: '127.0.0.1', port, localAddress, method: 'POST', headers };
      const sent = request({ ...options, path: '/v1/api/query/count/shop' }, (answer) => {
        answer.resume().once('close', () => resolve(String(answer.statusCode)));
      });
      sent.once('error', (error) => resolve(error.message)).end('{}');
    });
}

function startHostile(port: number, connections: number) {
  const script = fileURLToPath(new URL('./proxy-hostile.ts', import.meta.url));
  const args = ['--import', 'tsx', script, String(port), HOSTILE_ADDRESS, String(connections)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  return {
    stop: async () => {
      child.stdin.end();
      return (await text(child.stdout)).trim();
    },
  };
}
