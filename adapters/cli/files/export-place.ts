import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { failure } from '../errors.ts';

/** Where the name that `--out` was given leads. */
export type Output =
  /** A regular file or nothing yet, beside which a part may grow and whose name it may take. */
  | { readonly kind: 'file'; readonly file: string }
  /** A pipe, a device, or a descriptor of a process: it stays what it is, and is written through. */
  | { readonly kind: 'stream'; readonly file: string }
  /** The stdout of this process by another name, which cannot always be opened again. */
  | { readonly kind: 'stdout' };

const LINKS_MAX = 40;
const DESCRIPTORS = /^(\/proc\/(\d+|self)(\/task\/\d+)?|\/dev)\/fd$/;

/**
 * Follows a name to the place that it means. Links are followed by hand, so that a link stays one and what it
 * leads to is written; those of `/proc/PID/fd` are no paths, and are left for the system to open. Throws an
 * Error for a folder.
 */
export function findPlace(name: string): Output {
  let file = name;
  for (let links = 0; links < LINKS_MAX; links++) {
    const folder = realFolder(file);
    file = join(folder, basename(file));
    if (DESCRIPTORS.test(folder)) return isOwnStdout(file) ? { kind: 'stdout' } : { kind: 'stream', file };
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() !== true) return toPlace(file, stats);
    const target = readlinkSync(file);
    file = isAbsolute(target) ? target : join(folder, target);
  }
  throw failure(`${name} leads through too many links`);
}

function toPlace(file: string, stats: Stats | undefined): Output {
  if (stats?.isDirectory() === true) throw failure(`${file} is a folder`);
  return { kind: stats === undefined || stats.isFile() ? 'file' : 'stream', file };
}

function realFolder(file: string): string {
  const folder = dirname(file);
  try {
    return realpathSync(folder);
  } catch {
    throw failure(`there is no folder ${folder}`);
  }
}

function isOwnStdout(file: string): boolean {
  return (
    basename(file) === '1' &&
    [String(process.pid), 'self', 'dev'].some((part) => file.split('/').includes(part))
  );
}
