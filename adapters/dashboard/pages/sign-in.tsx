import { useState } from 'preact/hooks';
import type { Session } from './server/answers.ts';
import { ask, enter, messageOf } from './server/api.ts';
import { Code } from './parts/copy.tsx';
import { Notice } from './parts/text.tsx';

/** The code of the link that was opened, until it is spent; no history keeps it in an address. */
export let linkCode = takeCode();

function takeCode(): string | undefined {
  if (location.pathname !== '/sign-in') return undefined;
  const code = location.hash.slice(1);
  history.replaceState(null, '', '/sign-in');
  return code === '' ? undefined : code;
}

/** Where who is not signed in comes to. */
export function SignIn() {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const spend = async () => {
    setBusy(true);
    try {
      const found = await ask<Session>('sign-in', { code: linkCode });
      linkCode = undefined;
      history.replaceState(null, '', '/dashboard');
      enter(found);
    } catch (refused) {
      setError(messageOf(refused));
      setBusy(false);
    }
  };
  const canSpend = linkCode !== undefined && error === undefined;
  return (
    <main class="gate">
      <div class="card">
        <img src="/dashboard/icon.svg" alt="" width="40" height="40" />
        <h1>event-query</h1>
        {error !== undefined && <Notice kind="error">{error}</Notice>}
        {canSpend ? (
          <>
            <p>The link is good for one sign-in on this browser.</p>
            <button type="button" class="primary wide" disabled={busy} onClick={() => void spend()}>
              Sign in
            </button>
          </>
        ) : (
          <>
            <p>Print a link to sign in by, on the machine where the server runs, and open it here:</p>
            <Code text={`npx event-query dashboard link${portFlag()}`} label="command" />
          </>
        )}
      </div>
    </main>
  );
}

function portFlag(): string {
  return location.port === '8787' ? '' : ` --port ${location.port || '80'}`;
}
