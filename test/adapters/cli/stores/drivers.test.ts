import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadPackage } from '../../../../adapters/cli/stores/drivers.ts';
import { bundleProgram } from '../../../support/bundle.ts';
import { createFolder } from '../../../support/file.ts';
import { ROOT } from '../../../support/source-copy.ts';

const PACKAGES = join(ROOT, 'node_modules');
const OTHERS = readdirSync(PACKAGES).filter((name) => !name.startsWith('.') && name !== 'better-sqlite3');
const drivers = bundleProgram('adapters/cli/stores/drivers.ts');

/** Loads SQLite in a folder where `better-sqlite3` is this module, or is not installed. */
function findSqlite(module?: string): { readonly stdout: string; readonly stderr: string } {
  const folder = createFolder();
  onTestFinished(() => folder.remove());
  copyFileSync(drivers, folder.file('drivers.mjs'));
  mkdirSync(folder.file('node_modules'));
  for (const name of OTHERS) symlinkSync(join(PACKAGES, name), folder.file(`node_modules/${name}`));
  if (module !== undefined) {
    const place = folder.file('node_modules/better-sqlite3');
    mkdirSync(place, { recursive: true });
    writeFileSync(`${place}/index.js`, module);
  }
  const script = `const { loadSqlite } = await import('./drivers.mjs');
    await loadSqlite().then(({ name }) => console.log(name), ({ message }) => console.log(message));`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8' });
  return { stdout: stdout.trim(), stderr };
}

describe('a driver of SQLite', () => {
  // Newer versions of Node have a built-in driver.
  const own = isBuiltin('node:sqlite');
  const advice =
    'run "npm install better-sqlite3", with --global if event-query is installed so, ' +
    'or use Node 22.13 or later';

  it('that is not installed is reported', () => {
    const { stdout, stderr } = findSqlite();
    expect(stderr).not.toContain('better-sqlite3');
    expect(stdout).toBe(own ? 'node:sqlite' : `no SQLite driver is installed: ${advice}`);
  });

  it('built for another version of Node does not load, and that is reported', () => {
    const broken =
      'module.exports = class { constructor() { throw new Error("compiled for another\\nand so on"); } };';
    const remedy =
      'run "npm rebuild better-sqlite3", with pnpm "pnpm approve-builds", or use Node 22.13 or later';
    const told = `better-sqlite3 does not load (compiled for another and so on): ${remedy}`;
    const { stdout, stderr } = findSqlite(broken);
    expect(stdout).toBe(own ? 'node:sqlite' : told);
    const said =
      'better-sqlite3 does not load (compiled for another and so on): node:sqlite is used instead\n';
    expect(stderr.includes(said)).toBe(own);
  });

  it('whose build did not run is told in some words, without the paths', () => {
    const message = 'Could not locate the bindings file. Tried:\\n → /a/build\\n → /b/build';
    const { stdout, stderr } = findSqlite(
      `module.exports = class { constructor() { throw new Error("${message}"); } };`,
    );
    const told = own ? stderr : stdout;
    expect(told).toContain('better-sqlite3 does not load (its build did not run): ');
    expect(told).not.toContain('/a/build');
  });

  it('is the one that is installed', () => {
    const found = findSqlite('module.exports = class { close() {} };');
    expect(found).toEqual({ stdout: 'better-sqlite3', stderr: '' });
  });
});

describe('the package of another database', () => {
  const load = (error: Error) => loadPackage('pg', () => Promise.reject(error));

  it.each(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])('that is missing is told: %s', async (code) => {
    const missing = Object.assign(new Error('no such package'), { code });
    await expect(load(missing)).rejects.toThrow('pg is not installed: run "npm install pg"');
  });

  it('that does not load is told with the reason', async () => {
    await expect(load(new Error('it is broken'))).rejects.toThrow('pg does not load (it is broken)');
  });
});
