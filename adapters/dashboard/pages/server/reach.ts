import { signal } from '@preact/signals';
import { BASE } from './base.ts';

/** How often the server could be reached again after a request had got no answer. */
export const recoveries = signal(0);

/** How long, in milliseconds, the page waits until it looks again for a server that it does not reach. */
const PAUSE_MS = 2_000;
const PAUSE_MS_MAX = 30_000;

/** Whether the last request got no answer. */
let isLost = false;

/** Waits for the answer to a request, and notes whether the server can be reached. */
export async function reaching(request: Promise<Response>): Promise<Response> {
  try {
    const answer = await request;
    found();
    return answer;
  } catch (error) {
    // A request that the page itself aborts fails with another error.
    if (error instanceof TypeError && !isLost) {
      isLost = true;
      lookLater(PAUSE_MS);
    }
    throw error;
  }
}

function found(): void {
  if (!isLost) return;
  isLost = false;
  recoveries.value += 1;
}

addEventListener('online', () => void look(PAUSE_MS));

let next: ReturnType<typeof setTimeout> | undefined;

function lookLater(pauseMs: number): void {
  clearTimeout(next);
  next = setTimeout(() => void look(pauseMs), pauseMs);
}

/** Looks whether the server is back, and less and less often while it is not. */
async function look(pauseMs: number): Promise<void> {
  if (!isLost) return;
  // A hidden page asks nothing. Without a network there is nothing to ask.
  if (document.hidden || !navigator.onLine) return lookLater(PAUSE_MS);
  try {
    await fetch(`${BASE}/dashboard/icon.svg`, { method: 'HEAD', cache: 'no-store' });
    found();
  } catch {
    lookLater(Math.min(2 * pauseMs, PAUSE_MS_MAX));
  }
}
