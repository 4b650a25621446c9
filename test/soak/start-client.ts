import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ClientReport, ClientTask } from './protocol.ts';

/** Runs a task in a client process; its report. */
export function startClient(task: ClientTask): Promise<ClientReport> {
  const client = fork(fileURLToPath(new URL('client.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  });
  return new Promise((resolve, reject) => {
    client.once('message', (report) => resolve(report as ClientReport));
    client.once('exit', (code) => reject(new Error(`a client ended with ${code}`)));
    client.send(task);
  });
}
