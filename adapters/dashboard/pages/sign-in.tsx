import { useEffect, useState } from 'preact/hooks';
import type { AdminAnswer } from '../../../src/admin-api.ts';
import { AnswerError } from './server/answer-error.ts';
import { BASE } from './server/base.ts';
import { ask, enter, messageOf } from './server/api.ts';
import { Code } from './parts/copy.tsx';
import { Notice } from './parts/text.tsx';

/** The data in the address with which a user can sign in. */
interface Arrival {
  /** The one-time code of a link. A click uses it. */
  readonly code?: string;
  /** The answer of an identity provider. The page uses it at once. */
  readonly callback?: string;
}

/** The sign-in data of the address, until it is used. It is removed from the browser's history. */
export let arrival = takeArrival();

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

/** The page on which a user without a session signs in. */
export function SignIn() {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(arrival?.callback !== undefined);
  const [ways, setWays] = useState<AdminAnswer<'waysToSignIn'>>();
  /** Whether the provider knows the person, whose account has no role here. */
  const [isRoleless, setRoleless] = useState(false);
  const attempt = async (work: () => Promise<void>, isFinishing = false) => {
    setBusy(true);
    setError(undefined);
    setRoleless(false);
    try {
      await work();
    } catch (refused) {
      setError(messageOf(refused));
      setRoleless(isFinishing && refused instanceof AnswerError && refused.status === 403);
      setBusy(false);
    }
  };
  const spend = () =>
    attempt(async () => {
      const found = await ask<AdminAnswer<'signIn'>>('sign-in', { code: arrival?.code });
      arrival = undefined;
      history.replaceState(null, '', `${BASE}/dashboard`);
      enter(found);
    });
  const finish = () =>
    attempt(async () => {
      const body = { callback: arrival?.callback };
      arrival = undefined;
      const { returnTo } = await ask<{ readonly returnTo: string }>('sign-in', body);
      location.replace(BASE + returnTo);
    }, true);
  useEffect(() => {
    if (arrival?.callback !== undefined) void finish();
    ask<AdminAnswer<'waysToSignIn'>>('sign-in/ways').then(setWays, (failed: unknown) =>
      setError(messageOf(failed)),
    );
  }, []);
  const canSpend = arrival?.code !== undefined && error === undefined;
  return (
    <main class="gate" aria-busy={busy}>
      <div class="card">
        <img src={`${BASE}/dashboard/icon.svg`} alt="" width="40" height="40" />
        <h1>event-query</h1>
        {error !== undefined && <Notice kind="error">{error}</Notice>}
        {canSpend && (
          <>
            <p>This link works for one sign-in in this browser.</p>
            <button type="button" class="primary wide" disabled={busy} onClick={() => void spend()}>
              Sign in
            </button>
          </>
        )}
        {isRoleless && (
          <button
            type="button"
            class="primary wide"
            disabled={busy}
            onClick={() => void attempt(() => goToProvider(true))}
          >
            Use another account
          </button>
        )}
        {!canSpend && typeof ways?.provider === 'string' && (
          <button
            type="button"
            class={isRoleless ? 'wide' : 'primary wide'}
            disabled={busy}
            onClick={() => void attempt(goToProvider)}
          >
            Sign in with {ways.provider}
          </button>
        )}
        {!canSpend && ways?.link === true && (
          <>
            <p>
              On the machine that runs the server, in the folder where it was started, print a sign-in link
              and open it here:
            </p>
            <Code text={`npx event-query dashboard link${portFlag()}`} label="command" />
            <p class="hint">
              In another folder, add <code>--db FILE</code> with the server’s database file.
            </p>
          </>
        )}
      </div>
    </main>
  );
}

function portFlag(): string {
  return location.port === '8787' ? '' : ` --port ${location.port || '80'}`;
}
