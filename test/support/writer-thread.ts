import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SqliteOptions } from '../../adapters/sqlite/index.ts';
import { bundleSources } from './bundle.ts';

const { resolve } = createRequire(import.meta.url);

const WRITER = 'adapters/sqlite/writer/sqlite-writer';
/** The program of the writing thread: compiled as this is, or in one file, as whoever bundles has it. */
const findEntry = () =>
  import.meta.url.endsWith('.js')
    ? new URL(`../../${WRITER}.js`, import.meta.url)
    : pathToFileURL(join(bundleSources({ writer: `${WRITER}.ts` }), 'writer.js'));
let bundled: URL | undefined;

/** Options that let a thread write a file: with better-sqlite3, or the driver of another module. */
export function writtenByThread(
  file: string,
  driver: string | URL = pathToFileURL(resolve('better-sqlite3')),
) {
  const entry = (bundled ??= findEntry());
  return {
    writer: 'thread',
    thread: { file, driver: String(driver), entry },
  } as const satisfies Partial<SqliteOptions>;
}
