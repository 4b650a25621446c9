import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Which tests run. */
export interface TestRequest {
  readonly files: readonly string[];
  /** A pattern of names of tests; all where there is none. */
  readonly tests?: string | undefined;
  /** Files of the folder that are other ones than in the last run, and will be again in the next. */
  readonly edited?: readonly string[];
  /** A fault may turn a loop into an endless one. */
  readonly msMax: number;
}

/** What a run of some tests came to. */
export interface TestRun {
  /** Whether tests ran, and all passed. */
  readonly passed: boolean;
  /** Whether every test file could be loaded. */
  readonly loaded: boolean;
  readonly timedOut: boolean;
  /** The first reasons for which tests failed. */
  readonly reasons: readonly string[];
}

export interface TestHostOptions {
  /** The project's folder, or a copy of it. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly testTimeout?: number;
}

/** A process that runs tests over and over: it starts and reads the sources once. */
export interface TestHost {
  /** Runs tests, one run at a time, up to the first that fails. */
  run(request: TestRequest): Promise<TestRun>;
  close(): void;
}

const PROCESS = fileURLToPath(new URL('./test-host-process.ts', import.meta.url));

/** Makes a host. Its process begins with a first run, and again after a run that took too long. */
export function createTestHost({ folder, env, testTimeout = 60_000 }: TestHostOptions): TestHost {
  let child: ChildProcess | undefined;

  function start(): ChildProcess {
    // A group of its own: a fault may turn for ever in a worker, which has to end with its run.
    return fork(PROCESS, [String(testTimeout)], {
      cwd: folder,
      env: { ...process.env, ...env, NO_COLOR: '1' },
      execArgv: ['--import', import.meta.resolve('tsx')],
      stdio: 'ignore',
      detached: true,
    });
  }

  function close(): void {
    if (child?.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
    child = undefined;
  }

  process.once('exit', close);
  return {
    run: ({ msMax, ...request }) =>
      new Promise((resolve) => {
        const host = (child ??= start());
        const settle = (run: TestRun) => {
          clearTimeout(timer);
          host.removeAllListeners();
          resolve(run);
        };
        const fail = (timedOut: boolean, reason: string) => {
          close();
          settle({ passed: false, loaded: timedOut, timedOut, reasons: [reason] });
        };
        const timer = setTimeout(() => fail(true, 'the tests took too long'), msMax);
        host.once('message', settle);
        host.once('exit', (code) => fail(false, `the process of the tests ended with ${code}`));
        host.send(request);
      }),
    close: () => {
      process.off('exit', close);
      close();
    },
  };
}
