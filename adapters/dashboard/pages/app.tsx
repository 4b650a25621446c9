import { useLayoutEffect, useState } from 'preact/hooks';
import { askAhead } from './ask-ahead.ts';
import { askEarly, isLeaving, loadSession, messageOf, session, who } from './server/api.ts';
import { Notice, Reload } from './parts/text.tsx';
import { IssuedSecret } from './keys/secret.tsx';
import { Shell } from './shell.tsx';
import { arrival, goToProvider, SignIn } from './sign-in.tsx';

/** All of it. A secret that is shown once stays above whatever the page behind it becomes. */
export function App() {
  return (
    <>
      <Pages />
      <IssuedSecret />
    </>
  );
}

/** Who is not signed in is told how, and everybody else sees the pages. */
function Pages() {
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
  return <Shell />;
}

/**
 * A tab that was out of sight, and whose session has ended meanwhile, goes to the login and comes back. What
 * a dialog holds would not come back with it: a secret that is shown once, or what somebody has typed.
 */
function wake(): void {
  if (document.visibilityState !== 'visible' || !who.value?.provider) return;
  const mayLeave = () =>
    session.value === 'ended' && !isLeaving && document.querySelector('dialog[open]') === null;
  loadSession()
    .then(() => (mayLeave() ? goToProvider() : undefined))
    // What cannot be reached now is said where something is asked.
    .catch(() => undefined);
}
