import cluster from 'node:cluster';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorkerPool, backoffAfter } from '../../../../adapters/cli/server/worker-pool.ts';

/** The program of a worker: the nth worker does what the nth entry of the plan says, or else serves. */
const WORKER = `
  import { existsSync, readFileSync, writeFileSync } from 'node:fs';
  const folder = process.argv[2];
  const isAlive = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
  const first = () => Number(readFileSync(folder + '/0', 'utf8'));
  let place = 0;
  for (; ; place++) {
    try { writeFileSync(folder + '/' + place, String(process.pid), { flag: 'wx' }); break; } catch {}
  }
  const role = JSON.parse(readFileSync(folder + '/plan.json', 'utf8'))[place];
  process.on('message', (order) => {
    process.stderr.write(JSON.stringify({ msg: order, place }) + '\\n', () => process.exit(0));
  });
  const serve = () => process.send({ url: String(place) }, () => role === 'dies' && process.exit(7));
  if (role === 'refuses') process.send({ failed: 'no such place', exitCode: 2 }, () => process.exit(2));
  else if (role === 'breaks') process.exit(3);
  else if (role === 'late') {
    const timer = setInterval(() => isAlive(first()) || (clearInterval(timer), serve()), 10);
  } else if (role === 'kills') {
    process.kill(first(), 'SIGKILL');
    const timer = setInterval(() => isAlive(first()) || (clearInterval(timer), serve()), 10);
  } else if (role === 'hangs') {
    process.send({ url: String(place) }, () => process.kill(process.pid, 'SIGSTOP'));
  } else {
    serve();
    setInterval(() => process.send('alive'), 50);
  }
`;

/** A worker pool whose workers follow a plan, with its log and the number of workers that were started. */
function createPlanned(size: number, plan: readonly string[], more: { heartbeatMs?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-crew-'));
  const exec = join(folder, 'worker.mjs');
  writeFileSync(exec, WORKER);
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  cluster.setupPrimary({ exec, execArgv: [] });
  const lines: { readonly msg: string; readonly worker?: number }[] = [];
  const pass = (line: string) => void lines.push(JSON.parse(line) as { msg: string });
  const log = pino({ base: null }, { write: pass });
  const serverLog = { log, pass, setLevel: () => undefined, close: () => Promise.resolve() };
  const workers = createWorkerPool({ size, args: [folder], serverLog, ...more });
  onTestFinished(async () => {
    await workers.stop('end');
    rmSync(folder, { recursive: true });
  });
  const said = () => lines.map(({ msg }) => msg);
  return {
    crew: workers,
    lines,
    said,
    launched: () => readdirSync(folder).filter((name) => /^\d+$/.test(name)).length,
    until: async (text: string, times = 1) => {
      while (said().filter((each) => each === text).length < times) await pause(10);
    },
  };
}

const alive = () => Object.values(cluster.workers!).filter((worker) => worker?.isDead() === false).length;

describe('the workers of a server', () => {
  it('back off between early deaths, longer each time, and half a minute at most', () => {
    expect([0, 1, 2, 3, 8, 9, 2000].map(backoffAfter)).toEqual([0, 200, 400, 800, 25_600, 30_000, 30_000]);
  });

  it('report why the first cannot serve, and no other is started', async () => {
    const { crew: workers, launched } = createPlanned(3, ['refuses']);
    await expect(workers.start()).rejects.toMatchObject({ message: 'no such place', exitCode: 2 });
    expect(launched()).toBe(1);
  });

  it('one that ends without a message is reported by its code', async () => {
    await expect(createPlanned(1, ['breaks']).crew.start()).rejects.toThrow('ended before it served (3)');
  });

  it('one that dies while the others start is replaced', async () => {
    const { crew: workers, until, launched } = createPlanned(2, ['dies', 'late']);
    expect((await workers.start()).url).toBe('0');
    await until('a worker took its place');
    expect([launched(), alive()]).toEqual([3, 2]);
  });

  it('one that does not start is retried without limit', async () => {
    const { crew: workers, until, said } = createPlanned(1, ['dies', 'breaks', 'refuses']);
    await workers.start();
    await until('a worker took its place');
    expect(said()).toEqual([
      'a worker ended',
      'a worker did not start',
      'a worker did not start',
      'a worker took its place',
    ]);
  });

  it('are renewed one after the other, and replaced workers are not taken for dead', async () => {
    const { crew: workers, said, launched } = createPlanned(2, []);
    await workers.start();
    await Promise.all([workers.renew(), workers.renew()]);
    expect(said()).toEqual(['give way', 'give way', 'all workers were renewed']);
    expect([launched(), alive()]).toEqual([4, 2]);
  });

  it('are not one too many when one dies while it is renewed', async () => {
    const { crew: workers, until, said } = createPlanned(1, ['serves', 'kills']);
    await workers.start();
    await Promise.all([workers.renew(), until('a worker took its place')]);
    await until('all workers were renewed');
    expect(said().filter((each) => each === 'end')).toHaveLength(1);
    expect(alive()).toBe(1);
  });

  it('one that hangs is killed and replaced, and one that sends heartbeats is not', async () => {
    const {
      crew: workers,
      until,
      said,
      launched,
    } = createPlanned(2, ['serves', 'hangs'], { heartbeatMs: 500 });
    await workers.start();
    await until('a worker took its place');
    expect(said()).toEqual(['a worker hangs, and is ended', 'a worker ended', 'a worker took its place']);
    expect([launched(), alive()]).toEqual([3, 2]);
  });

  it('one that has ended is not ended again while another hangs in its place', async () => {
    const { crew: workers, until, lines } = createPlanned(1, ['hangs', 'hangs'], { heartbeatMs: 50 });
    await workers.start();
    await until('a worker ended', 2);
    const ended = lines.findIndex(({ msg }) => msg === 'a worker ended');
    const later = lines.slice(ended + 1).filter(({ worker }) => worker === lines[ended]!.worker);
    expect(later).toEqual([]);
  });

  it('end together, and no new one is started', async () => {
    const { crew: workers, until, launched } = createPlanned(1, ['dies']);
    await workers.start();
    await until('a worker ended');
    await workers.stop('end');
    const before = launched();
    await pause(300);
    expect([launched(), alive()]).toEqual([before, 0]);
  });
});
