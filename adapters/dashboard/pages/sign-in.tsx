import { useEffect, useState } from 'preact/hooks';
import type { AdminAnswer } from '../../../src/admin-api.ts';
import { arrival, goToProvider, spendArrival } from './arrival.ts';
import { AnswerError } from './server/answer-error.ts';
import { BASE } from './server/base.ts';
import { ask, enter, messageOf, tellBegun } from './server/api.ts';
import { Code } from './parts/copy.tsx';
import { Notice } from './parts/text.tsx';

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
      spendArrival();
      history.replaceState(null, '', `${BASE}/dashboard`);
      enter(found);
      tellBegun(found);
    });
  const finish = () =>
    attempt(async () => {
      const body = { callback: arrival?.callback };
      spendArrival();
      const { returnTo, ...begun } = await ask<AdminAnswer<'signIn'>>('sign-in', body);
      tellBegun(begun);
      location.replace(`${BASE}${returnTo ?? '/dashboard'}`);
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
        {!canSpend && ways?.link === true && <LinkWays />}
      </div>
    </main>
  );
}

/** How somebody without a provider gets in: by a link, of a colleague or of the server itself. */
function LinkWays() {
  return (
    <>
      <p>You sign in by a link. Ask who invited you, or who runs the server, for a new one.</p>
      <details>
        <summary>I run the server</summary>
        <p>On its machine, in the folder where it was started, print a link and open it here:</p>
        <Code text={`npx event-query dashboard link${portFlag()}`} label="command" />
        <p class="hint">
          In another folder, add <code>--db FILE</code> with the server’s database file.
        </p>
      </details>
    </>
  );
}

function portFlag(): string {
  return location.port === '8787' ? '' : ` --port ${location.port || '80'}`;
}
