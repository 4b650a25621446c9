import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '../../support/free-port.ts';

/** The programs of the newest PostgreSQL that Debian has installed here, undefined for none. */
const BIN = findBin();

/** Whether this machine has a PostgreSQL to start. Where `EVENT_QUERY_SERVICES` is `required`, it must. */
export const HAS_POSTGRES = BIN !== undefined || process.env.EVENT_QUERY_SERVICES === 'required';

function findBin(): string | undefined {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(base, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')));
}

/** PostgreSQL refuses to run as root, so root runs it as the user that its package made. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout),
  );
  return { uid: uid!, gid: gid! };
}

/** A PostgreSQL of a test's own, on a free port of loopback, in a folder of its own. */
export interface PostgresServer {
  /** The address of a database, which is made where it is missing. */
  url(database: string): Promise<string>;
  /** A pool of clients on a database, which is made where it is missing; it ends with the server. */
  pool(database?: string, options?: pg.PoolConfig): Promise<pg.Pool>;
  /** Where it listens. */
  readonly port: number;
  signal(name: NodeJS.Signals): void;
  /** Signals the processes of all connections as well. */
  signalAll(name: NodeJS.Signals): void;
  /** Gives a folder to the user that the server runs as. */
  own(folder: string): void;
  /** Starts a server that follows this one, and answers questions meanwhile. */
  replicate(): Promise<PostgresServer>;
  /** Makes a replica a server by itself. */
  promote(): void;
  /** Starts it again after it has ended. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes a cluster and starts it. */
export function startPostgres(): Promise<PostgresServer> {
  const flags = ['-E', 'UTF8', '--locale=C.UTF-8', '-U', 'postgres', '-A', 'trust', '-N'];
  return startWith((data, run) => run('initdb', ['-D', data, ...flags]));
}

/** Runs a program of PostgreSQL to its end. */
type Run = (program: string, args: readonly string[]) => void;

/** Starts a server on the folder that `fill` has filled. */
async function startWith(fill: (data: string, run: Run) => void): Promise<PostgresServer> {
  const user = owner();
  const run: Run = (program, args) => {
    const { status, stderr } = spawnSync(join(BIN!, program), args, { ...user, encoding: 'utf8', cwd: '/' });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  };
  const folder = mkdtempSync(join(tmpdir(), 'event-query-postgres-'));
  const own = (path: string) => {
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
  };
  own(folder);
  const data = join(folder, 'data');
  fill(data, run);
  const port = await findFreePort();
  let child: ChildProcess;
  const start = async () => {
    const args = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
    child = spawn(join(BIN!, 'postgres'), args, { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('PostgreSQL has ended')));
      child.stderr!.on('data', (text: Buffer) => {
        if (/ready to accept (read-only )?connections/.test(text.toString())) resolve();
      });
    });
  };
  const ended = () =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once('exit', () => resolve());
    });
  await start();
  const pools: pg.Pool[] = [];
  const base = { host: '127.0.0.1', port, user: 'postgres' };
  const make = async (database: string) => {
    if (database === 'postgres') return;
    const client = new pg.Client({ ...base, database: 'postgres' });
    await client.connect();
    await client.query(`create database ${database}`).catch(() => undefined);
    await client.end();
  };
  return {
    async url(database) {
      await make(database);
      return `postgres://postgres@127.0.0.1:${port}/${database}`;
    },
    async pool(database = 'postgres', options = {}) {
      await make(database);
      const pool = new pg.Pool({ ...base, database, connectionTimeoutMillis: 60_000, ...options });
      // A connection that is lost while it is idle is told here, and must not end the process.
      pool.on('error', () => undefined);
      pools.push(pool);
      return pool;
    },
    port,
    own,
    signal: (name) => void child.kill(name),
    signalAll(name) {
      const args = ['-o', 'pid=', '--ppid', String(child.pid)];
      const { stdout } = spawnSync('ps', args, { encoding: 'utf8' });
      for (const pid of [child.pid!, ...stdout.split('\n').map(Number)]) {
        if (pid > 0) process.kill(pid, name);
      }
    },
    replicate: () =>
      startWith((copy, runHere) => {
        const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
        runHere('pg_basebackup', [...from, '-D', copy, '-R', '-X', 'stream', '-c', 'fast', '-N']);
      }),
    promote: () => run('pg_ctl', ['promote', '-D', data, '-w']),
    async restart() {
      await ended();
      await start();
    },
    async stop() {
      await Promise.all(pools.filter(({ ended }) => !ended).map((pool) => pool.end()));
      child.kill('SIGQUIT');
      await ended();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
