import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ProviderClient, ProviderOrder, ProviderSeen, ProviderState } from './provider.ts';
import type { OidcServerSettings } from './server.ts';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a script that speaks by messages; what it says first, and how it is asked. */
async function start<First>(script: string, env: Readonly<Record<string, string>> = {}) {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const options = { execArgv: ['--import', 'tsx'], env: { ...process.env, ...env } };
  // What it writes is of no use to a test that passes.
  const child = fork(file, { ...options, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  running.add(child);
  const ended = new Promise<void>((resolve) => child.once('exit', () => (running.delete(child), resolve())));
  const next = <T>() =>
    Promise.race([
      new Promise<T>((resolve) => child.once('message', (message) => resolve(message as T))),
      ended.then(() => Promise.reject(new Error(`${script} ended`))),
    ]);
  let last: Promise<unknown> = Promise.resolve();
  const ask = <T>(order: object): Promise<T> => {
    const answer = last.then(() => {
      const answered = next<{ readonly answer: T }>();
      child.send(order);
      return answered.then((message) => message.answer);
    });
    last = answer.catch(() => undefined);
    return answer;
  };
  const first = await next<First>();
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { child, ended, first, ask, kill };
}

/** An identity provider that runs. */
export async function startProvider() {
  const { child, first, ask, kill } = await start<{ readonly issuer: string }>('provider.ts');
  const order = <T>(what: ProviderOrder) => ask<T>(what);
  return {
    issuer: first.issuer,
    serve: (client: ProviderClient) => order<undefined>({ order: 'serve', client }),
    set: (state: Partial<ProviderState>) => order<undefined>({ order: 'set', state }),
    seen: () => order<ProviderSeen>({ order: 'seen' }),
    sign: (payload: Readonly<Record<string, unknown>>, { typ = 'logout+jwt', known = true } = {}) =>
      order<string>({ order: 'sign', payload, typ, known }),
    /** Lets it answer nothing, though who asks is connected, or lets it go on. */
    hang: (isHanging: boolean) => void child.kill(isHanging ? 'SIGSTOP' : 'SIGCONT'),
    kill,
  };
}
export type RunningProvider = Awaited<ReturnType<typeof startProvider>>;

/** A server that runs. */
export async function startServer(settings: OidcServerSettings) {
  const env = { OIDC_TEST_SERVER: JSON.stringify(settings) };
  const { child, ended, first, ask, kill } = await start<{ readonly port: number }>('server.ts', env);
  return {
    host: `127.0.0.1:${first.port}`,
    /** Moves its clock; what its log was told of errors so far. */
    advance: (advanceMs: number) => ask<{ readonly errors: readonly string[] }>({ advanceMs }),
    /** Lets it end by itself. */
    end: async () => {
      child.send({ end: true });
      await ended;
    },
    kill,
  };
}
export type RunningServer = Awaited<ReturnType<typeof startServer>>;
