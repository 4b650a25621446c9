import { useLayoutEffect } from 'preact/hooks';
import { askAhead } from './ask-ahead.ts';
import { BASE } from './server/base.ts';
import { askEarly, isLeaving, loadSession, session, who } from './server/api.ts';
import { useAnswer } from './server/loading.ts';
import { keepFocus } from './parts/keep-focus.ts';
import { Skeleton } from './parts/skeleton.tsx';
import { Refusal } from './parts/text.tsx';
import { issued, issuedView } from './keys/issued.ts';
import { lazy, Loaded } from './parts/lazy.tsx';
import { prefetchPage, Shell } from './shell.tsx';
import { arrival, goToProvider } from './arrival.ts';

/** The whole dashboard. A secret that is shown once stays open while the page below it changes. */
export function App() {
  useLayoutEffect(keepFocus, []);
  return (
    <>
      <Pages />
      <IssuedSecret />
    </>
  );
}

/** The sign-in page. Users who are signed in do not need its code. */
const SIGN_IN = lazy(async () => (await import('./sign-in.tsx')).SignIn, 'rare');

/** The secret on display. The page that asks for one has loaded its view before. */
function IssuedSecret() {
  const View = issuedView.value;
  return issued.value === undefined || View === undefined ? null : <View issued={issued.value} />;
}

/** Shows the sign-in page to a user without a session, and the pages to all others. */
function Pages() {
  useLayoutEffect(() => {
    // A user who comes by a link or from a provider wants to sign in again.
    if (arrival !== undefined) session.value = 'none';
    else for (const path of ['session', 'tenants', 'choices']) askEarly(path);
    prefetchPage();
    const end = askAhead();
    document.addEventListener('visibilitychange', wake);
    return () => {
      document.removeEventListener('visibilitychange', wake);
      end();
    };
  }, []);
  const { error, again } = useAnswer(async () => {
    if (session.peek() === 'unknown') await loadSession();
  }, []);
  if (error !== undefined) {
    return (
      <main class="gate">
        <Refusal error={error} again={again} />
      </main>
    );
  }
  if (session.value === 'unknown') return <FrameSkeleton />;
  if (session.value === 'none') return <Loaded of={SIGN_IN} props={{}} />;
  return <Shell />;
}

/** The frame of the pages while it is not known who is signed in. */
function FrameSkeleton() {
  return (
    <div class="shell">
      <div class="side">
        <div class="brand">
          <img src={`${BASE}/dashboard/icon.svg`} alt="" width="26" height="26" />
          <span>event-query</span>
        </div>
      </div>
      <main>
        <Skeleton of="rows" />
      </main>
    </div>
  );
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
