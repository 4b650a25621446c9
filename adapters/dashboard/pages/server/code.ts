import { BASE } from './base.ts';
import { AnswerError } from './answer-error.ts';
import { reaching } from './reach.ts';

/** Where this window notes that it has loaded the pages again for want of code. */
const KEY = 'event-query-reloaded';

/**
 * Loads a part of the pages' code. If the server answers, but not with this part, it may have been upgraded
 * since the pages were loaded. A browser may also remember that the part could not be loaded once. A new load
 * of the pages mends both, so this reloads them; if that was in vain, it throws an Error.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    const code = await load();
    forget();
    return code;
  } catch {
    // The error is that of any other question if the server cannot be reached, and the page then recovers
    // by itself. A server that has no pages at the moment would leave the window without any.
    const { ok, status } = await reaching(fetch(`${BASE}/dashboard`, { method: 'HEAD', cache: 'no-store' }));
    if (!ok) throw new AnswerError(status, `The server answered ${status}.`);
    if (isFirstTime()) location.reload();
    throw new Error('This page could not be loaded.');
  }
}

/**
 * Whether the pages may be loaded again by themselves. The time after that it is up to the user, so that a
 * part that is never there does not make the pages load forever.
 */
function isFirstTime(): boolean {
  try {
    const isFirst = sessionStorage.getItem(KEY) === null;
    if (isFirst) sessionStorage.setItem(KEY, 'yes');
    else forget();
    return isFirst;
  } catch {
    // Without storage, it cannot be known.
    return false;
  }
}

function forget(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was noted.
  }
}
