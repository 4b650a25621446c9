import { useLayoutEffect, useState } from 'preact/hooks';
import { askAhead } from './ask-ahead.ts';
import { askEarly, isLeaving, loadSession, messageOf, session, who } from './server/api.ts';
import { Notice, Reload } from './parts/text.tsx';
import { IssuedSecret } from './keys/secret.tsx';
import { Shell } from './shell.tsx';
import { arrival, goToProvider, SignIn } from './sign-in.tsx';

/** The whole dashboard. A secret that is shown once stays open while the page below it changes. */
export function App() {
  return (
    <>
      <Pages />
      <IssuedSecret />
    </>
  );
}

/** Shows the sign-in page to a user without a session, and the pages to all others. */
function Pages() {
  const [error, setError] = useState<string>();
  useLayoutEffect(() => {
    // A user who comes by a link or from a provider wants to sign in again.
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
 * If a tab becomes visible again and its session has ended, goes to the provider's login, which leads back.
 * While a dialog is open, the tab stays, because the dialog's content would be lost: a secret or typed text.
 */
function wake(): void {
  if (document.visibilityState !== 'visible' || !who.value?.provider) return;
  const mayLeave = () =>
    session.value === 'ended' && !isLeaving && document.querySelector('dialog[open]') === null;
  loadSession()
    .then(() => (mayLeave() ? goToProvider() : undefined))
    // The next question reports that the server cannot be reached.
    .catch(() => undefined);
}
