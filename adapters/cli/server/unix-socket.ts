import { lstatSync, unlinkSync, type Stats } from 'node:fs';
import { connect } from 'node:net';
import { attempt, failure, messageOf } from '../process/errors.ts';
import { describeSocketError, toSocketUrl } from '../values/urls.ts';

/**
 * Makes room for a Unix socket: removes one that a killed server has left behind. Throws an Error where a
 * server listens on it, where it may be one, and where the path is that of something else.
 */
export async function makeRoomFor(path: string): Promise<void> {
  const found = attempt(`cannot listen on ${toSocketUrl(path)}`, () => lookAt(path));
  if (found === undefined) return;
  if (!found.isSocket()) throw failure(`${path} exists and is no socket: choose another path with --socket`);
  const code = await codeOfConnecting(path);
  if (code === undefined) throw failure(`another server listens on ${path}`);
  // Only this error says that nobody listens: a busy server, or one of another user, gives others.
  if (code !== 'ECONNREFUSED') throw failure(`${path} may belong to another server (${code})`);
  try {
    unlinkSync(path);
  } catch (error) {
    throw failure(`cannot remove ${path}, which a server has left behind: ${messageOf(error)}`);
  }
}

/** What is at a path; undefined for nothing. Throws an Error where it cannot be told. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw failure(describeSocketError(error));
  }
}

/** Connects to a socket, and leaves; the code of the error, undefined when somebody listens. */
function codeOfConnecting(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'no code'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
  });
}
