import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkControl } from '../target/checks.ts';
import { CANARY, startTarget, type Target } from '../target/target.ts';
import { isInstalled, missingRow, toRow, type Row, type RunOptions } from './report.ts';

interface Place {
  readonly name: string;
  /** An asterisk marks where sqlmap puts its payloads. */
  readonly flags: (target: Target) => readonly string[];
}

const json = ({ key }: Target) => ['--headers', `X-API-Key: ${key}\nContent-Type: application/json`];
const filter = '{"property":"properties.text*","comparison":"CONTAINS*","value":"text*"}';
const PLACES: readonly Place[] = [
  {
    name: 'alias',
    flags: (target) => ['-u', `${target.origin}/v1/api/query/events/mallory*`, ...json(target)],
  },
  {
    name: 'body of a query',
    flags: (target) => [
      ...['-u', `${target.origin}/v1/api/query/mallory`, ...json(target)],
      ...['--data', `{"event":"opened*","after":"2024-01-01*","filterSet":[${filter}]}`],
    ],
  },
  {
    name: 'key',
    flags: ({ origin, key }) => [
      '-u',
      `${origin}/v1/api/query/events/mallory`,
      '--headers',
      `X-API-Key: ${key}*`,
    ],
  },
  {
    name: 'events',
    flags: (target) => [
      ...['-u', `${target.origin}/v1/events/mallory/multi`, ...json(target)],
      ...['--data', '[{"eventName":"a*","userId":"u*","properties":{"k*":"v*"}}]'],
    ],
  },
];

/** What it says when it tests, which takes it a while to come to where a machine is busy. */
const BEGUN = /testing '|testing for SQL injection/;
/** How long it may take in any case. */
const WHOLE_SECONDS_MAX = 300;

/** Runs it to its end, or for so many seconds from its first test on. */
function runTool(flags: readonly string[], home: string, secondsMax: number): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env, HOME: home, XDG_DATA_HOME: home };
    const tool = spawn('sqlmap', flags, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const stop = () => void tool.kill('SIGKILL');
    const whole = setTimeout(stop, WHOLE_SECONDS_MAX * 1000);
    let testing: NodeJS.Timeout | undefined;
    const note = (chunk: Buffer) => {
      output += chunk.toString();
      if (BEGUN.test(output)) testing ??= setTimeout(stop, secondsMax * 1000);
    };
    tool.stdout.on('data', note);
    tool.stderr.on('data', note);
    tool.once('close', () => {
      clearTimeout(whole);
      clearTimeout(testing);
      resolve(output);
    });
  });
}

/** Whether sqlmap believes that it has found a way in, in the words of its report. */
const FOUND = /is vulnerable|injection point\(s\)|appears to be '.*' injectable|back-end DBMS is/;

async function countVictim({ origin, victimKey }: Target): Promise<number> {
  const answer = await fetch(`${origin}/v1/api/query/count/victim`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': victimKey },
    body: JSON.stringify({ event: CANARY }),
  });
  return ((await answer.json()) as { count: number }).count;
}

/** Lets sqlmap look for a way into the database through the alias, a body, the key and events. */
export async function runSqlmap(options: RunOptions): Promise<Row[]> {
  if (!isInstalled('sqlmap')) return [missingRow('sqlmap', options)];
  const [level, secondsMax, technique] = options.quick ? ['1', 25, 'B'] : ['2', 150, 'BEUS'];
  const rows: Row[] = [];
  for (const { name, flags } of PLACES) {
    const target = await startTarget(['--log-level', 'error']);
    const home = mkdtempSync(join(tmpdir(), 'event-query-sqlmap-'));
    const common = ['--batch', '--disable-coloring', '--flush-session', '--skip-waf', '--output-dir', home];
    const effort = ['--level', level, '--risk', '1', '--technique', technique, '--dbms', 'sqlite'];
    const patience = [
      '--timeout',
      '10',
      '--retries',
      '0',
      '--time-sec',
      '2',
      '--ignore-code',
      '400,401,404,415',
    ];
    const output = await runTool([...flags(target), ...common, ...effort, ...patience], home, secondsMax);
    const wrong: string[] = [];
    if (FOUND.test(output))
      wrong.push(
        output
          .split('\n')
          .filter((line) => FOUND.test(line))
          .join(' '),
      );
    if (!BEGUN.test(output)) wrong.push(`sqlmap did not test: ${output.slice(-400)}`);
    if ((await countVictim(target)) !== 5) wrong.push('the events of the victim are not what they were');
    await checkControl(target).catch((error: unknown) => wrong.push(String(error)));
    await target.stop();
    rmSync(home, { recursive: true, force: true });
    const tests = output.match(/testing '/g)?.length ?? 0;
    const ended = output.includes('ending @') ? 'ended by itself' : `stopped after ${secondsMax} s`;
    const verdict = output.includes('do not appear to be injectable')
      ? 'nothing injectable'
      : 'nothing found until then';
    const figures = `level ${level}, technique ${technique}: ${tests} tests, ${ended}, ${verdict}`;
    rows.push(toRow(`sqlmap: ${name}`, figures, wrong));
  }
  return rows;
}
