import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { buildName } from '../../.config/build-name.ts';
import { createFolder } from '../support/file.ts';

it('a build is named by its commit, or by its sources where they are no commit', () => {
  const folder = createFolder();
  onTestFinished(() => folder.remove());
  const root = `${folder.path}/`;
  for (const name of ['src', 'adapters', 'test/conformance', '.config'])
    mkdirSync(root + name, { recursive: true });
  const files = [
    'src/a.ts',
    '.config/tsup.ts',
    '.config/split-pages.ts',
    'package.json',
    'package-lock.json',
    'test/conformance/b.ts',
  ];
  for (const name of files) writeFileSync(root + name, name);
  const first = buildName(root);
  expect(first).toMatch(/^h[0-9a-f]{12}$/);
  expect(buildName(root)).toBe(first);
  writeFileSync(`${root}src/a.ts`, 'another');
  expect(buildName(root)).not.toBe(first);

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: root,
      encoding: 'utf8',
    });
  git('init', '--quiet');
  expect(buildName(root)).toMatch(/^h/);
  git('add', '.');
  git('commit', '--quiet', '--message', 'all');
  expect(buildName(root)).toBe(`g${git('rev-parse', '--short=12', 'HEAD').trim()}`);
  // While it reads the configuration, tsup has a copy of it there.
  for (const name of ['.config/tsup.bundled_a1.mjs', 'event-query-0.1.0.tgz', 'notes.md'])
    writeFileSync(root + name, 'no source');
  expect(buildName(root)).toMatch(/^g/);
  writeFileSync(`${root}src/b.ts`, 'new');
  expect(buildName(root)).toMatch(/^h/);
  rmSync(`${root}src/b.ts`);
  expect(buildName(root)).toMatch(/^g/);
  writeFileSync(`${root}src/a.ts`, 'changed');
  expect(buildName(root)).toMatch(/^h/);
});
