import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * The name of a copy until it is complete: that of the copy, the machine and the process that makes it, and
 * `.part`. So the next backup can tell what a killed one has left.
 */
export function toPartName(copy: string): string {
  return `${copy}.${machine()}.${process.pid}.${randomBytes(8).toString('hex')}.part`;
}

/** The end of such a name: the process, 16 hexadecimal digits, `.part`. */
const PART = /\.(\d{1,10})\.[0-9a-f]{16}\.part$/;

/**
 * Nobody makes a part any more that was not written to for this long: the number of a process may belong to
 * another one by now, or to another machine or container.
 */
const LEFT_MS = 86_400_000;

/** Removes the parts of copies in a folder that no living process makes. It never throws. */
export function removeLeftParts(folder: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const found = PART.exec(name);
      if (found === null) continue;
      const path = join(folder, name);
      const isHere = name.slice(0, found.index).endsWith(`.${machine()}`);
      const isOrphaned = isHere && !isAlive(Number(found[1]));
      if (isOrphaned || isOld(path)) rmSync(path, { force: true });
    }
  } catch {
    // What is left takes room and does no other harm; making the copy says what is wrong with the folder.
  }
}

/** The name of this machine, or of this container, as letters that any file system takes. */
function machine(): string {
  return hostname().replaceAll(/[^\w-]/g, '-');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive, too.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function isOld(path: string): boolean {
  return Date.now() - statSync(path).mtimeMs > LEFT_MS;
}
