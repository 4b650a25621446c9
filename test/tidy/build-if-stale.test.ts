import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isBuildStale } from '../../.config/build-if-stale.ts';
import { ROOT } from './sources.ts';

const CONFIG = ['.config/tsup.ts', '.config/split-pages.ts'];
const SOURCES = ['src/a/b.ts', 'adapters/c/README.md', 'test/conformance/d.ts', ...CONFIG];
const PACKAGE = ['package.json', 'package-lock.json'];
const BUILT = ['dist/cli.js', 'dist/index.js', 'dist/index.cjs', 'dist/dashboard/app.js'];
const FOLDERS = ['src', 'src/a', 'adapters', 'adapters/c', 'test/conformance'];

let root: string;

beforeEach(() => {
  root = `${mkdtempSync(join(tmpdir(), 'event-query-build-'))}/`;
  for (const file of [...SOURCES, ...PACKAGE]) touch(file, 100);
  for (const file of BUILT) touch(file, 200);
  for (const folder of FOLDERS) utimesSync(root + folder, 100, 100);
});
afterEach(() => rmSync(root, { recursive: true }));

/** Makes a file that was changed at a second. */
function touch(file: string, second: number): void {
  mkdirSync(dirname(root + file), { recursive: true });
  writeFileSync(root + file, '');
  utimesSync(root + file, second, second);
}

it('`npm start` builds nothing where the build is newer than all that it is made of, but pages', () => {
  expect(isBuildStale(root)).toBe(false);
  touch('adapters/c/README.md', 300);
  expect(isBuildStale(root)).toBe(false);
});

it.each(['src/a/b.ts', 'test/conformance/d.ts', 'adapters/e/new.tsx', ...CONFIG, ...PACKAGE])(
  '`npm start` builds where %s is newer',
  (file) => {
    touch(file, 300);
    expect(isBuildStale(root)).toBe(true);
  },
);

it.each(BUILT)('`npm start` builds where %s is missing', (file) => {
  rmSync(root + file);
  expect(isBuildStale(root)).toBe(true);
});

it('`npm start` says that it builds, and makes no declarations, which take longer than all else', () => {
  rmSync(root, { recursive: true });
  for (const path of ['src', 'adapters', 'test/conformance', '.config', ...PACKAGE, 'tsconfig.json'])
    cpSync(ROOT + path, root + path, { recursive: true });
  symlinkSync(`${ROOT}node_modules`, `${root}node_modules`);
  const built = spawnSync('npm', ['run', 'built', '--silent'], { cwd: root, encoding: 'utf8' });
  expect([built.stderr, built.status]).toEqual(['building event-query, which takes some seconds…\n', 0]);
  expect(existsSync(`${root}dist/cli.js`)).toBe(true);
  expect(existsSync(`${root}dist/index.d.ts`)).toBe(false);
  expect(isBuildStale(root)).toBe(false);
});
