import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SqliteOptions } from '../../adapters/sqlite/index.ts';
import { bundleSources } from './bundle.ts';

const { resolve } = createRequire(import.meta.url);

/** The program of the writing thread in one file, as whoever bundles an application has it. */
const bundleEntry = () =>
  pathToFileURL(join(bundleSources({ writer: 'adapters/sqlite/writer/sqlite-writer.ts' }), 'writer.js'));
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
