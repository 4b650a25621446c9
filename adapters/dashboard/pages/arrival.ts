import type { AdminAnswer } from '../../../src/admin-api.ts';
import { ask } from './server/api.ts';
import { BASE } from './server/base.ts';

/** The data in the address with which a user can sign in. */
interface Arrival {
  /** The one-time code of a link. A click uses it. */
  readonly code?: string;
  /** The answer of an identity provider. The page uses it at once. */
  readonly callback?: string;
}

/** The sign-in data of the address, until it is used. It is removed from the browser's history. */
export let arrival = takeArrival();

/** Forgets the sign-in data of the address, which work once. */
export function spendArrival(): void {
  arrival = undefined;
}

/** Whether the address is that of the page on which a user signs in. */
function isSignIn(): boolean {
  return location.pathname.endsWith('/sign-in');
}

function takeArrival(): Arrival | undefined {
  if (!isSignIn()) return undefined;
  const code = location.hash.slice(1);
  const callback = location.search;
  history.replaceState(null, '', `${BASE}/sign-in`);
  if (callback.includes('state=')) return { callback };
  return code === '' ? undefined : { code };
}

/** The longest place to which a login returns. Of a longer one, only the page is kept. */
const PLACE_LENGTH_MAX = 900;

/** Goes to the identity provider, which sends the user back to the current place. */
export async function goToProvider(anotherAccount = false): Promise<void> {
  const { hash } = location;
  const place = hash.length > PLACE_LENGTH_MAX ? hash.split('?', 1)[0]! : hash;
  const returnTo = isSignIn() ? '/dashboard' : `/dashboard${place}`;
  const { url } = await ask<AdminAnswer<'beginSignIn'>>('sign-in/begin', { returnTo, anotherAccount });
  location.assign(url);
}
