import { execFileSync } from 'node:child_process';

/** What a shell prints that runs what somebody copied. Throws an Error where the command fails. */
export function runInShell(command: string, env: Readonly<Record<string, string>> = {}): string {
  return execFileSync('bash', ['-c', command], { encoding: 'utf8', env: { ...process.env, ...env } });
}
