import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
  ...['src', 'adapters', 'test', '.config'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'README.md'],
];

/** Packages are shared, not copied; those of some tests are installed only where they run. */
const INSTALLED = ['node_modules', 'test/clickhouse/node_modules', 'test/oidc/node_modules'];

/** A text that a file holds once, and what is put in its place. */
export type Edit = readonly [find: string, replace: string];

/** A copy of the sources that a fault is brought into; it shares the installed packages. */
export interface SourceCopy {
  readonly folder: string;
  /**
   * Makes edits in one file; how to undo them, or undefined where the file does not hold each text exactly
   * once.
   */
  edit(file: string, edits: readonly Edit[]): (() => void) | undefined;
  remove(): void;
}

/** Copies the sources into a folder of its own. */
export function copySources(): SourceCopy {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-copy-'));
  const filter = (path: string) => !path.endsWith('node_modules');
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter });
  for (const name of INSTALLED) {
    if (existsSync(join(ROOT, name))) symlinkSync(join(ROOT, name), join(folder, name));
  }
  return {
    folder,
    edit: (file, edits) => {
      const path = join(folder, file);
      const before = readFileSync(path, 'utf8');
      let after = before;
      for (const [find, replace] of edits) {
        if (after.split(find).length !== 2) return undefined;
        after = after.replace(find, () => replace);
      }
      writeFileSync(path, after);
      return () => writeFileSync(path, before);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
