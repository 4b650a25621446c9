import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What the process of the ordinary tenant is told. */
export interface OrdinaryTask {
  readonly origin: string;
  readonly alias: string;
  readonly secret: string;
  /** Whether it also sends an event every second. */
  readonly sends: boolean;
}

/** What it saw. Times are in milliseconds. */
export interface OrdinaryReport {
  asked: number;
  /** How long each took while the processors were the machine's own. */
  readonly counts: number[];
  readonly healths: number[];
  readonly sends: number[];
  /** Sends on new connections, whose bodies come a little behind their heads, as those of browsers do. */
  readonly newcomers: number[];
  /** How long the slowest took while the host of the machine gave processors to others. */
  slowestStolenMs: number;
  /** What was not answered with 200, by the reason. */
  readonly refused: Record<string, number>;
  sent: number;
  acknowledged: number;
  /** How late its own timers were at most. */
  lagMs: number;
}

/** The ordinary tenant at work. */
export interface OrdinaryClient {
  /** Ends it; what it saw. */
  stop(): Promise<OrdinaryReport>;
}

/** Starts the ordinary tenant in a process of its own. */
export async function startOrdinary(task: OrdinaryTask): Promise<OrdinaryClient> {
  const child = fork(fileURLToPath(new URL('ordinary.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  const ended = new Promise<OrdinaryReport>((resolve, reject) => {
    child.once('message', (report) => resolve(report as OrdinaryReport));
    child.once('exit', (code) => reject(new Error(`the ordinary tenant ended with ${code}`)));
  });
  ended.catch(() => undefined);
  await new Promise((resolve) => child.send(task, resolve));
  // Its first requests open connections and load code on both sides: they are not what is measured.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return {
    stop: () => {
      child.send('stop');
      return ended;
    },
  };
}
