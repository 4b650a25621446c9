import { BASE } from './base.ts';
import { AnswerError } from './answer-error.ts';
import { reaching } from './reach.ts';
import { mayReload, noteLoaded, type Notes } from './reloads.ts';

/**
 * Loads a part of the pages' code. If the server answers, but not with this part, it may have been upgraded
 * since the pages were loaded. A browser may also remember that the part could not be loaded once. A new load
 * of the pages mends both, so this reloads them; if that was in vain, it throws an Error. `file` tells the
 * part from others.
 */
export async function loadCode<T>(load: () => Promise<T>, file: string): Promise<T> {
  try {
    const code = await load();
    noteLoaded(stored(), file);
    return code;
  } catch {
    // The error is that of any other question if the server cannot be reached, and the page then recovers
    // by itself. A server that has no pages at the moment would leave the window without any.
    const { ok, status } = await reaching(fetch(`${BASE}/dashboard`, { method: 'HEAD', cache: 'no-store' }));
    if (!ok) throw new AnswerError(status, `The server answered ${status}.`);
    if (mayReload(stored(), file)) location.reload();
    throw new Error('This page could not be loaded.');
  }
}

/** What this window stores; undefined where the browser allows none. */
function stored(): Notes {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
