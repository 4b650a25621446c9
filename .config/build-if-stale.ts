import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What a build is made of. */
export const SOURCES = [
  'src',
  'adapters',
  'test/conformance',
  '.config/tsup.ts',
  '.config/split-pages.ts',
  'package.json',
  'package-lock.json',
];
/** What is there when a build has come to its end. Types may be missing: no program reads them. */
const BUILT = ['dist/cli.js', 'dist/index.js', 'dist/index.cjs', 'dist/dashboard/app.js'];

/** The files that a build is made of, by their paths below the root, in order. */
export function sourcesOf(root: string): string[] {
  const files = SOURCES.flatMap((source) =>
    statSync(root + source).isDirectory()
      ? readdirSync(root + source, { recursive: true, encoding: 'utf8' }).map((name) => `${source}/${name}`)
      : [source],
  );
  return files.filter((file) => !file.endsWith('.md') && statSync(root + file).isFile()).sort();
}

/** Whether a project has no whole build, or one that is older than what it is made of. */
export function isBuildStale(root = ROOT): boolean {
  const changedAt = (file: string) => statSync(root + file, { throwIfNoEntry: false })?.mtimeMs;
  const builtAt = Math.min(...BUILT.map((file) => changedAt(file) ?? -Infinity));
  return sourcesOf(root).some((file) => (changedAt(file) ?? 0) > builtAt);
}

if (process.argv[1] === fileURLToPath(import.meta.url) && isBuildStale()) {
  process.stderr.write('building event-query, which takes some seconds…\n');
  // Declarations take longer than all else, and who starts a program reads none: `npm run build` makes them.
  execFileSync('npm', ['run', 'bundle', '--silent'], { cwd: ROOT, stdio: 'inherit' });
}
