import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { ROOT } from './source-copy.ts';

/** Where packages are found from, and nobody else looks. */
const CACHE = join(ROOT, 'node_modules', '.cache');
const OWN_NAME = /^event-query-(\d+)-/;

const folders = new Set<string>();
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Bundles programs as they are now, until the process ends: the folder that has `NAME.js` of each. */
export function bundleSources(programs: Readonly<Record<string, string>>): string {
  mkdirSync(CACHE, { recursive: true });
  removeLeftovers();
  const outdir = mkdtempSync(join(CACHE, `event-query-${process.pid}-`));
  folders.add(outdir);
  buildSync({
    entryPoints: Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, join(ROOT, file)])),
    ...{ outdir, bundle: true, packages: 'external', platform: 'node', target: 'node20', format: 'esm' },
  });
  writeFileSync(join(outdir, 'package.json'), '{"type":"module"}');
  return outdir;
}

/** The bundle of one program, for a process of its own: the sources take five times as long to start. */
export function bundleProgram(file: string): string {
  return join(bundleSources({ program: file }), 'program.js');
}

/** Builds the pages of the dashboard into a folder of bundled programs, where the code looks for them. */
export function bundlePages(folder: string): void {
  const pages = join(ROOT, 'adapters/dashboard/pages');
  cpSync(join(pages, 'public'), join(folder, 'dashboard'), { recursive: true });
  buildSync({
    entryPoints: [join(pages, 'main.tsx')],
    ...{ outfile: join(folder, 'dashboard', 'app.js'), bundle: true, format: 'esm', target: 'es2022' },
    ...{ jsx: 'automatic', jsxImportSource: 'preact' },
  });
}

/** Removes what processes left that were ended from outside. */
function removeLeftovers(): void {
  for (const name of readdirSync(CACHE)) {
    const pid = OWN_NAME.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
