import { readFileSync } from 'node:fs';

/** The forms in which a server runs: with a writing thread in its one process, and in each of two workers. */
export const FORMS = [
  { form: 'one process', args: [] },
  { form: 'two workers', args: ['--workers', '2'] },
] as const satisfies readonly { form: string; args: readonly string[] }[];

/** The workers of a server; none where it is one process. */
export function workersOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children
    .split(' ')
    .filter((child) => child.trim() !== '')
    .map(Number);
}

/** The processes of a server that take requests. */
export function servingProcesses(pid: number): number[] {
  const workers = workersOf(pid);
  return workers.length === 0 ? [pid] : workers;
}
