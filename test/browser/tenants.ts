import { execFileSync } from 'node:child_process';
import { builtCli } from '../support/built.ts';
import type { TestTenant } from '../support/file.ts';

/** Runs the built command on a file, and gives what it prints. */
export function runCommand(db: string, ...args: string[]): string {
  return execFileSync(process.execPath, [builtCli(), ...args, '--db', db], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Makes a tenant for each alias by the built command, so that any build can be tried. */
export function createTenants<A extends string>(db: string, aliases: readonly A[]): Record<A, TestTenant> {
  const run = (...args: string[]) => runCommand(db, ...args);
  const tenants = aliases.map((alias): [A, TestTenant] => {
    run('tenant', 'create', alias, '--plan', 'custom');
    return [alias, { alias, secret: run('key', 'create', alias, '--name', 'k', '--permission', 'query') }];
  });
  return Object.fromEntries(tenants) as Record<A, TestTenant>;
}
