import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SOURCES, sourcesOf } from './build-if-stale.ts';

/**
 * What a build names itself by: `gCOMMIT` where it is made of what is committed, else `hHASH` of all that it
 * is made of, so that no two builds of different sources say the same, with git or without.
 */
export function buildName(root: string): string {
  return commitOf(root) ?? hashOf(root);
}

function commitOf(root: string): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    // The sources of an unpacked package may lie below another project's repository.
    if (git('rev-parse', '--show-prefix') !== '') return undefined;
    // Only the sources of a build count: tsup writes a copy of its configuration while it reads it.
    if (git('status', '--porcelain', '--', ...SOURCES, ':!*.md') !== '') return undefined;
    return `g${git('rev-parse', '--short=12', 'HEAD')}`;
  } catch {
    return undefined;
  }
}

function hashOf(root: string): string {
  const hash = createHash('sha256');
  for (const file of sourcesOf(root)) hash.update(`${file}\n`).update(readFileSync(root + file));
  return `h${hash.digest('hex').slice(0, 12)}`;
}
