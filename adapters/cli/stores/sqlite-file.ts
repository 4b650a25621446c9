import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { failure } from '../errors.ts';
import { shellWord } from '../print/printable.ts';

/** Makes an empty file where there is none. SQLite gives the mode of it to the files beside it. */
export function makeFile(file: string): void {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
}

/** Who else than its owner may read a file, or write it, as a warning; undefined where nobody may. */
export function findExposure(file: string): string | undefined {
  // Windows has no such modes.
  const mode = process.platform === 'win32' ? 0 : statSync(file).mode & 0o077;
  if (mode === 0) return undefined;
  return `others than its owner may open ${file}; to end that: chmod 600 ${['', '-wal', '-shm']
    .map((end) => shellWord(file + end))
    .join(' ')}`;
}

/** Throws an Error where there is no file: a mistyped name must not leave an empty database behind. */
export function checkExists(file: string): void {
  if (!existsSync(file)) throw failure(`there is no file ${file}; name another with --db or EVENT_QUERY_DB`);
}
