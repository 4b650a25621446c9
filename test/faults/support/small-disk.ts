import { execFileSync } from 'node:child_process';
import { mkdirSync, openSync, closeSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { workersOf } from './forms.ts';
import type { Folder } from '../../support/file.ts';

/** A place for a database where space can end and come back while a server runs. */
export interface SmallDisk {
  /** What it is made of, for the printed result. */
  readonly kind: string;
  /** The folder to put the database in. */
  readonly path: string;
  /** A command to run the server under; empty for none. */
  readonly before: readonly string[];
  /** Takes the space away. `pid` is the server's. */
  fill(pid: number): void;
  /** Gives it back. */
  free(pid: number): void;
  remove(): void;
}

/** A tmpfs of some MiB, which fills up as any disk does; undefined where this process may not mount one. */
export function mountTmpfs(folder: Folder, mebibytes: number): SmallDisk | undefined {
  const path = folder.file('tmpfs');
  const ballast = join(path, 'ballast');
  mkdirSync(path);
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path];
    execFileSync('mount', options, { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return {
    kind: `a tmpfs of ${mebibytes} MiB`,
    path,
    before: [],
    fill: () => fillWith(ballast),
    free: () => rmSync(ballast),
    remove: () => execFileSync('umount', ['--lazy', path]),
  };
}

/**
 * A bound on the size of each file that the server writes (RLIMIT_FSIZE), which needs no rights: the engine
 * meets EFBIG where a full disk says ENOSPC.
 */
export function limitFileSize(folder: Folder, bytes: number): SmallDisk {
  const setLimit = (pid: number, limit: string) => {
    for (const each of [pid, ...workersOf(pid)])
      execFileSync('prlimit', ['--pid', String(each), `--fsize=${limit}:`]);
  };
  return {
    kind: `a limit of ${bytes} bytes on each file (RLIMIT_FSIZE)`,
    path: folder.path,
    before: [],
    fill: (pid) => setLimit(pid, String(bytes)),
    free: (pid) => setLimit(pid, 'unlimited'),
    remove: () => undefined,
  };
}

/** Writes until there is no space left, to the last page. */
function fillWith(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [65_536, 4096, 1]) writeUntilFull(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
