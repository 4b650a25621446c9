import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of folders such as `test/dashboard`, unless they are there as the lock file says:
 * several commands need the same ones.
 */
for (const folder of process.argv.slice(2)) {
  const [locked, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  if (installed! > locked!) continue;
  const { status } = spawnSync('npm', ['ci', '--silent', '--prefix', folder], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
