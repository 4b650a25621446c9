import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { failure } from '../process/errors.ts';

/** What the name given to `--out` refers to. */
export type Output =
  /** A regular file, or none yet: a part is written next to it and then renamed to it. */
  | { readonly kind: 'file'; readonly file: string }
  /** A pipe, a device, or a descriptor of a process: it is written directly and never replaced. */
  | { readonly kind: 'stream'; readonly file: string }
  /** Another name for the stdout of this process, which cannot always be opened a second time. */
  | { readonly kind: 'stdout' };

const LINKS_MAX = 40;
const DESCRIPTORS = /^(\/proc\/(\d+|self)(\/task\/\d+)?|\/dev)\/fd$/;

/**
 * Resolves a name to its target. It follows links one by one, so that the target is replaced and not the
 * link. The links of `/proc/PID/fd` are not paths, so the system opens them. Throws an Error for a folder.
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
