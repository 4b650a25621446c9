import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';

/** The error codes of file systems whose files have no owners. */
const NO_OWNERS = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL'];

/**
 * Gives an open file or folder that root has made to the owner of another one. A service that runs as an
 * ordinary user could not read what root leaves beside its file otherwise. It works on what is open and never
 * on a name, because the owner of the folder may have put a link in that place.
 */
export function giveToOwnerOf(handle: number, other: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(other);
  try {
    fchownSync(handle, uid, gid);
  } catch (error) {
    if (!NO_OWNERS.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** As `giveToOwnerOf`, for a folder that was just made. */
export function giveFolderToOwnerOf(folder: string, other: string): void {
  if (process.getuid?.() !== 0) return;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    giveToOwnerOf(handle, other);
  } finally {
    closeSync(handle);
  }
}
