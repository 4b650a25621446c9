import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import type { SqliteOptions } from '../../adapters/sqlite/index.ts';

const { resolve } = createRequire(import.meta.url);

/** The entry point of the writing thread in one file, as whoever bundles an application has it. */
function bundleEntry(): URL {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-writer-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'writer.mjs');
  const entry = fileURLToPath(new URL('../../adapters/sqlite/writer/sqlite-writer.ts', import.meta.url));
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  return pathToFileURL(outfile);
}
let bundled: URL | undefined;

/** Options that let a thread write a file: with better-sqlite3, or the driver of another module. */
export function writtenByThread(
  file: string,
  driver: string | URL = pathToFileURL(resolve('better-sqlite3')),
) {
  const entry = (bundled ??= bundleEntry());
  return {
    writer: 'thread',
    thread: { file, driver: String(driver), entry },
  } as const satisfies Partial<SqliteOptions>;
}
