import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forkProgram } from '../process.ts';

export type Kind = 'count' | 'first page' | 'page at 50,000' | 'names' | 'groups' | 'tables';

/** What the bench asks of a host. */
export type HostCall =
  | { readonly op: 'open'; readonly peer: string; readonly folder: string; readonly rows: number }
  | { readonly op: 'time'; readonly kind: Kind; readonly question: number; readonly sliceMs: number }
  | { readonly op: 'cold'; readonly question: number }
  | { readonly op: 'memory' }
  | { readonly op: 'close' };

export interface HostReply {
  readonly missing?: boolean;
  readonly ns?: number;
  /** The time of all processors together, for each call. */
  readonly cpuNs?: number;
  readonly bytes?: number;
  readonly answers?: string;
}

/** A process that holds one peer. */
export interface Host {
  readonly peer: string;
  call(call: HostCall): Promise<HostReply>;
  /** Ends the process and removes its files. */
  end(): Promise<void>;
}

/** Starts the process of a peer; undefined when its package is not installed. */
export async function startHost(
  peer: string,
  rows: number,
): Promise<{ host: Host; opened: HostReply } | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
  const child = forkProgram('host', import.meta.url);
  const host: Host = {
    peer,
    call: (call) => request(child, call),
    end: async () => {
      await request(child, { op: 'close' });
      child.disconnect();
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const opened = await host.call({ op: 'open', peer, folder, rows });
  if (opened.missing !== true) return { host, opened };
  await host.end();
  return undefined;
}

function request(child: ChildProcess, call: HostCall): Promise<HostReply> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the process of a peer has ended'));
    child.once('exit', onExit);
    child.once('message', (reply) => {
      child.off('exit', onExit);
      resolve(reply as HostReply);
    });
    child.send(call);
  });
}
