import { useLayoutEffect, useState } from 'preact/hooks';
import { askAhead } from './ask-ahead.ts';
import { askEarly, loadSession, messageOf, session, who } from './server/api.ts';
import { Notice } from './parts/text.tsx';
import { Shell } from './shell.tsx';
import { arrival, goToProvider, SignIn } from './sign-in.tsx';

/** All of it: who is not signed in is told how, and everybody else sees the pages. */
export function App() {
  const [error, setError] = useState<string>();
  useLayoutEffect(() => {
    // Who comes by a link, or from a provider, wants to sign in anew.
    if (arrival !== undefined) session.value = 'none';
    else {
      for (const path of ['session', 'tenants', 'choices']) askEarly(path);
      loadSession().catch((failed: unknown) => setError(messageOf(failed)));
    }
    const end = askAhead();
    document.addEventListener('visibilitychange', wake);
    return () => {
      document.removeEventListener('visibilitychange', wake);
      end();
    };
  }, []);
  if (error !== undefined) {
    return (
      <main class="gate">
        <Notice kind="error">{error}</Notice>
        <Reload />
      </main>
    );
  }
  if (session.value === 'unknown') return <main class="gate" aria-busy="true" />;
  if (session.value === 'none') return <SignIn />;
  return (
    <>
      {session.value === 'ended' && <Ended />}
      <Shell />
    </>
  );
}

/**
 * A tab that was out of sight, and whose session has ended meanwhile, goes to the login and comes back. What
 * a dialog holds would not come back with it: a secret that is shown once, or what somebody has typed.
 */
function wake(): void {
  if (document.visibilityState !== 'visible' || !who.value?.provider) return;
  const mayLeave = () => session.value === 'ended' && document.querySelector('dialog[open]') === null;
  loadSession()
    .then(() => (mayLeave() ? goToProvider() : undefined))
    // What cannot be reached now is said where something is asked.
    .catch(() => undefined);
}

/** Says that the session has ended; what the page shows stays, and the address with it. */
function Ended() {
  return (
    <div class="ended" role="alert">
      <p>The session has ended. What you see may be old.</p>
      <Reload />
    </div>
  );
}

function Reload() {
  return (
    <button type="button" class="primary" onClick={() => location.reload()}>
      Reload
    </button>
  );
}
