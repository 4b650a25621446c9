import { forkProgram } from '../process.ts';

/** One answer that the bench fetches over and over. */
export interface Fetch {
  readonly name: string;
  readonly path: string;
  readonly body: string;
}

/** What a peer that sends a constant sends for one fetch. */
export interface Constant extends Fetch {
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: string;
}

/** What the process of a server is told: the constants, for peers that send them, and the events' folder. */
export interface ServerStart {
  readonly peer: string;
  readonly folder: string;
  readonly rows: number;
  readonly constants: readonly Constant[];
}

/** A server in a process of its own. */
export interface Server {
  readonly peer: string;
  readonly origin: string;
  /** The secrets that requests carry, with blanks between; peers that send constants do not look at them. */
  readonly secret: string;
  end(): void;
}

/** What the process of a server answers: where it listens; undefined when its package is not installed. */
export type ServerStarted = { readonly port: number; readonly secret: string } | { readonly port: undefined };

export function startServer(start: ServerStart): Promise<Server | undefined> {
  const child = forkProgram('server', import.meta.url);
  child.send(start);
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${start.peer}: the server has ended`)));
    child.once('message', (message) => {
      child.removeAllListeners('exit');
      const started = message as ServerStarted;
      const end = () => void child.kill();
      if (started.port === undefined) {
        end();
        resolve(undefined);
        return;
      }
      const origin = `http://127.0.0.1:${started.port}`;
      resolve({ peer: start.peer, origin, secret: started.secret, end });
    });
  });
}
