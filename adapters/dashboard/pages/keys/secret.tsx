import { useEffect, useState } from 'preact/hooks';
import { Code } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/text.tsx';
import { API, toCurl } from '../server/curl.ts';
import { RevokeKey } from './dialogs.tsx';
import { settle, type Issued } from './issued.ts';

/** An event with which to try a key. */
const HELLO = { eventName: 'hello', userId: 'ada' };

/**
 * The only view of a secret. It belongs to no page, so neither the back button nor a sign-out in another tab
 * closes it. The browser asks before the user closes the window.
 */
export function IssuedSecret({ issued }: { readonly issued: Issued }) {
  return issued.key.restrictions !== null ? <WriteKey issued={issued} /> : <Secret issued={issued} />;
}

/** A public write key after its creation. It is no secret, so it may be closed and found again. */
function WriteKey({ issued: { alias, key, secret, namesakes } }: { readonly issued: Issued }) {
  const close = () => settle(key.id);
  const send = `navigator.sendBeacon(
  '${API}/v1/events/${alias}/multi?writeKey=${secret}',
  JSON.stringify(${JSON.stringify([HELLO])}),
);`;
  return (
    <Dialog title={`The write key ${key.name}`} onClose={close}>
      <p>Pages may show it. The list of keys shows it again.</p>
      <Code text={secret} label="write key" />
      <p>A page sends with it where the strategy is SERVER_SIDE:</p>
      <Code text={send} label="script" />
      <Namesakes ids={namesakes} own={key.id} />
      <footer>
        <button type="button" class="primary" onClick={close}>
          Close
        </button>
      </footer>
    </Dialog>
  );
}

function Namesakes({ ids, own }: { readonly ids: readonly string[]; readonly own: string }) {
  if (ids.length === 0) return null;
  return (
    <Notice>
      Other live keys have the same name: <code>{ids.join(', ')}</code>. This one is <code>{own}</code>.
    </Notice>
  );
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
      <Namesakes ids={namesakes} own={key.id} />
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
