import { spawn } from 'node:child_process';
import { checkControl } from '../target/checks.ts';
import { startTarget, type Target } from '../target/target.ts';
import { isInstalled, missingRow, quantile, toRatio, toRow, type Row, type RunOptions } from './report.ts';

interface SlowAttack {
  readonly name: string;
  /** How long a whole run takes: longer than the server's time limit for this. */
  readonly seconds: number;
  readonly flags: (target: Target) => readonly string[];
}

const QUERY = '/v1/api/query/mallory';
const NAMES = '/v1/api/query/events/mallory';

/** slowhttptest writes its texts into the request as they are, so that a header can ride along. */
const withKey = ({ key }: Target) => ['-m', `*/*\r\nX-API-Key: ${key}`];

const ATTACKS: readonly SlowAttack[] = [
  {
    name: 'slow headers',
    seconds: 30,
    flags: ({ origin }) => ['-H', '-i', '3', '-x', '24', '-u', origin + QUERY],
  },
  {
    name: 'slow body',
    seconds: 90,
    flags: (target) => [
      '-B',
      '-i',
      '3',
      '-s',
      '8192',
      '-x',
      '10',
      '-f',
      'application/json',
      ...withKey(target),
      '-u',
      target.origin + QUERY,
    ],
  },
  {
    name: 'slow read',
    seconds: 150,
    flags: (target) => [
      '-X',
      '-w',
      '512',
      '-y',
      '1024',
      '-n',
      '3',
      '-z',
      '32',
      '-k',
      '3',
      ...withKey(target),
      '-u',
      target.origin + NAMES,
    ],
  },
];

/** Gives the slow readers something large to read: names of events, 4 MB of them. */
async function fillNames({ origin }: Target): Promise<void> {
  for (let batch = 0; batch < 8; batch++) {
    const events = Array.from({ length: 2000 }, (_, i) => ({
      eventName: `${batch}-${i}-`.padEnd(256, 'n'),
      userId: 'u',
    }));
    const headers = { 'Content-Type': 'application/json' };
    await fetch(`${origin}/v1/events/mallory/multi`, {
      method: 'POST',
      headers,
      body: JSON.stringify(events),
    });
  }
}

/** How long ordinary requests take, one after another, until told to stop. */
async function probe(target: Target, goesOn: () => boolean): Promise<{ times: number[]; wrong: string[] }> {
  const times: number[] = [];
  const wrong: string[] = [];
  while (goesOn()) {
    const start = performance.now();
    await checkControl(target).catch((error: unknown) => wrong.push(String(error)));
    times.push(performance.now() - start);
    await new Promise((next) => setTimeout(next, 50));
  }
  return { times, wrong };
}

function runTool(flags: readonly string[], secondsMax: number): Promise<string> {
  return new Promise((resolve) => {
    const tool = spawn('slowhttptest', flags, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    tool.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    tool.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const timer = setTimeout(() => tool.kill('SIGKILL'), (secondsMax + 20) * 1000);
    tool.once('close', () => {
      clearTimeout(timer);
      resolve(output);
    });
  });
}

/** The last word of slowhttptest on its connections, and why it ended. */
function lastStates(output: string): string {
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '');
  const states = ['connected', 'closed', 'error'].map((state) => {
    const found = [...plain.matchAll(new RegExp(`^${state}: +(\\d+)`, 'gm'))].at(-1)?.[1];
    return `${found ?? '?'} ${state}`;
  });
  const end = /Test ended on (\d+)/.exec(plain)?.[1] ?? '?';
  const why = /Exit status: +(.*)/.exec(plain)?.[1] ?? 'unknown';
  const probe = /service available: +NO/.test(plain) ? ', its probe found no service' : '';
  return `${states.join(', ')}, over after ${end} s: ${why}${probe}`;
}

/** Slow headers, slow bodies and slow readers by slowhttptest, while ordinary requests go on. */
export async function runSlow(options: RunOptions): Promise<Row[]> {
  if (!isInstalled('slowhttptest')) return [missingRow('slowhttptest', options)];
  const rows: Row[] = [];
  const connections = options.quick ? '100' : '400';
  for (const { name, flags, seconds: whole } of ATTACKS) {
    const seconds = options.quick ? 8 : whole;
    const target = await startTarget(['--log-level', 'warn']);
    await fillNames(target);
    const idleUntil = performance.now() + 2000;
    const idle = await probe(target, () => performance.now() < idleUntil);
    let runs = true;
    const loaded = probe(target, () => runs);
    const common = ['-c', connections, '-r', '200', '-l', String(seconds), '-p', '5'];
    const output = await runTool([...common, ...flags(target)], seconds);
    runs = false;
    const { times, wrong } = await loaded;
    const peak = Math.round(target.peakBytes() / 1_048_576);
    await checkControl(target).catch((error: unknown) => wrong.push(`afterwards: ${String(error)}`));
    await target.stop();
    if (!options.quick && !output.includes('No open connections left')) {
      wrong.push('the server still holds connections that it should have cut off');
    }
    const p50 = toRatio(quantile(times, 0.5), quantile(idle.times, 0.5));
    const p99 = toRatio(quantile(times, 0.99), quantile(idle.times, 0.99));
    const figures =
      `${connections} connections, ${seconds} s: ${times.length} ordinary requests answered, ` +
      `p50 ${p50} and p99 ` +
      `${p99} of idle; ${lastStates(output)}; peak ${peak} MiB`;
    rows.push(toRow(name, figures, wrong));
  }
  return rows;
}
