import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Code } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/text.tsx';
import type { Key } from '../server/answers.ts';
import { toCurl } from '../server/curl.ts';

/** A key of a tenant with its secret, which is nowhere else. */
export interface Issued {
  readonly alias: string;
  readonly key: Key;
  readonly secret: string;
  /** The ids of the tenant's other live keys of the same name. */
  readonly namesakes: readonly string[];
}

/** The secret that is shown now; it goes with the view that shows it. */
export const issued = signal<Issued | undefined>(undefined);

/** An event to try a key by. */
const HELLO = { eventName: 'hello', userId: 'ada' };

/**
 * The one view of a secret, which is of no page: neither the way back nor a sign-out in another tab takes it
 * away, and who closes the window is asked first.
 */
export function IssuedSecret() {
  return issued.value === undefined ? null : <Secret issued={issued.value} />;
}

function Secret({ issued: { alias, key, secret, namesakes } }: { readonly issued: Issued }) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  const curl = key.permissions.includes('query')
    ? toCurl(`/v1/api/query/count/${alias}`, `X-API-Key: ${secret}`, {})
    : toCurl(`/v1/events/${alias}/multi`, `Authorization: Chase ${secret}`, [HELLO]);
  const close = () => (issued.value = undefined);
  return (
    <Dialog title={`The secret of ${key.name}`} onClose={close} stays>
      <p>It is shown this once: nobody can read it again, not even here. Keep it out of browsers.</p>
      <Code text={secret} label="secret" />
      <p>Try it:</p>
      <Code text={curl} label="curl" />
      {namesakes.length > 0 && (
        <Notice>
          Other live keys are called so too: <code>{namesakes.join(', ')}</code>. This one is{' '}
          <code>{key.id}</code>.
        </Notice>
      )}
      <footer>
        <button type="button" class="primary" onClick={close}>
          I have saved it
        </button>
      </footer>
    </Dialog>
  );
}
