import { useEffect, useState } from 'preact/hooks';
import { Code } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/text.tsx';
import { toCurl } from '../server/curl.ts';
import { RevokeKey } from './dialogs.tsx';
import { issued, settle, type Issued } from './issued.ts';

/** An event with which to try a key. */
const HELLO = { eventName: 'hello', userId: 'ada' };

/**
 * The only view of a secret. It belongs to no page, so neither the back button nor a sign-out in another tab
 * closes it. The browser asks before the user closes the window.
 */
export function IssuedSecret() {
  return issued.value === undefined ? null : <Secret issued={issued.value} />;
}

function Secret({ issued: { alias, key, secret, namesakes } }: { readonly issued: Issued }) {
  /** Whether the user cannot save the secret, so that the key is useless. */
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  const curl = key.permissions.includes('query')
    ? toCurl(`/v1/api/query/count/${alias}`, `X-API-Key: ${secret}`, {})
    : toCurl(`/v1/events/${alias}/multi`, `Authorization: Chase ${secret}`, [HELLO]);
  const close = () => settle(key.id);
  if (isLost) return <RevokeKey alias={alias} of={key} onClose={() => setLost(false)} onDone={close} />;
  return (
    <Dialog title={`The secret of ${key.name}`} onClose={close} stays>
      <p>This is the only time it is shown. Store it now, and never use it in a browser.</p>
      <Code text={secret} label="secret" />
      <p>Try it:</p>
      <Code text={curl} label="curl" />
      {namesakes.length > 0 && (
        <Notice>
          Other live keys have the same name: <code>{namesakes.join(', ')}</code>. This one is{' '}
          <code>{key.id}</code>.
        </Notice>
      )}
      <footer>
        <button type="button" class="danger" onClick={() => setLost(true)}>
          Revoke this key
        </button>
        <button type="button" class="primary" onClick={close}>
          I have saved it
        </button>
      </footer>
    </Dialog>
  );
}
