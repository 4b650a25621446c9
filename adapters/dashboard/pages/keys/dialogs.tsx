import { useState } from 'preact/hooks';
import { Code } from '../parts/copy.tsx';
import { Dialog, FormDialog } from '../parts/dialog.tsx';
import { Check, Field, Select, TextField } from '../parts/field.tsx';
import type { Key } from '../server/answers.ts';
import { ask } from '../server/api.ts';
import { toCurl } from '../server/curl.ts';

/** A key with its secret, which is nowhere else: it goes with the dialog that shows it. */
export interface Issued {
  readonly kind: 'issued';
  readonly key: Key;
  readonly secret: string;
}

interface DialogProps {
  readonly alias: string;
  readonly onClose: () => void;
  readonly onDone: (issued?: Issued) => void;
}

const DAY_MS = 86_400_000;
const OVERLAPS = [
  ['0', 'at once'],
  [String(DAY_MS / 24), 'in an hour'],
  [String(DAY_MS), 'in a day'],
  [String(7 * DAY_MS), 'in a week'],
] as const;

/** An event to try a key by. */
const HELLO = { eventName: 'hello', userId: 'ada' };

const issue = async (path: string, body: object): Promise<Issued> => ({
  ...(await ask<Omit<Issued, 'kind'>>(path, body)),
  kind: 'issued',
});

/** Makes a key. */
export function NewKey({ alias, ...dialog }: DialogProps) {
  const [name, setName] = useState('');
  const [permissions, setPermissions] = useState<readonly string[]>(['query']);
  const [expires, setExpires] = useState('');
  const toggle = (each: string) =>
    setPermissions(
      permissions.includes(each) ? permissions.filter((other) => other !== each) : [...permissions, each],
    );
  const send = () => {
    // Through the end of that day in UTC.
    const expiresAt = expires === '' ? {} : { expiresAt: Date.parse(expires) + DAY_MS };
    return issue(`keys/create/${alias}`, { name, permissions, ...expiresAt });
  };
  return (
    <FormDialog
      {...dialog}
      title="Generate new secret"
      act="Generate"
      isUnready={permissions.length === 0}
      send={send}
    >
      <TextField
        label="Name"
        hint="What it is for: the service that will hold it."
        required
        autoFocus
        maxLength={256}
        value={name}
        onValue={setName}
      />
      <fieldset>
        <legend>Permissions</legend>
        <Check checked={permissions.includes('query')} onChange={() => toggle('query')}>
          query <small>ask the Query API</small>
        </Check>
        <Check checked={permissions.includes('ingest')} onChange={() => toggle('ingest')}>
          ingest <small>send events where the strategy is SERVER_SIDE</small>
        </Check>
      </fieldset>
      <TextField
        label="Last day (UTC)"
        hint="Empty: it does not expire."
        type="date"
        value={expires}
        onValue={setExpires}
      />
    </FormDialog>
  );
}

/** Gives a key another secret. */
export function RotateKey({ alias, of: { id, name }, ...dialog }: DialogProps & { readonly of: Key }) {
  const [overlap, setOverlap] = useState<string>(String(DAY_MS));
  return (
    <FormDialog
      {...dialog}
      title={`Rotate ${name}`}
      act="Rotate"
      send={() => issue(`keys/rotate/${alias}`, { id, overlapMs: Number(overlap) })}
    >
      <p>The key gets a new secret. Its limits and its name stay.</p>
      <Field label="The old secret ends">
        {(ids) => <Select {...ids} autoFocus options={OVERLAPS} value={overlap} onValue={setOverlap} />}
      </Field>
    </FormDialog>
  );
}

/** Ends a key. */
export function RevokeKey({
  alias,
  of: { id, name },
  onDone,
  ...dialog
}: DialogProps & { readonly of: Key }) {
  return (
    <FormDialog
      {...dialog}
      title={`Revoke ${name}?`}
      act="Revoke"
      isDangerous
      isQuestion
      send={() => ask(`keys/revoke/${alias}`, { id })}
      onDone={() => onDone()}
    >
      <p>Whoever holds its secret is refused from the next request on. This cannot be undone.</p>
    </FormDialog>
  );
}

/** The one view of a secret: nothing but the button closes it. */
export function Secret({
  alias,
  issued: { key, secret },
  onClose,
}: DialogProps & { readonly issued: Issued }) {
  const curl = key.permissions.includes('query')
    ? toCurl(`/v1/api/query/count/${alias}`, `X-API-Key: ${secret}`, {})
    : toCurl(`/v1/events/${alias}/multi`, `Authorization: Chase ${secret}`, [HELLO]);
  return (
    <Dialog title={`The secret of ${key.name}`} onClose={onClose} stays>
      <p>It is shown this once: nobody can read it again, not even here. Keep it out of browsers.</p>
      <Code text={secret} label="secret" />
      <p>Try it:</p>
      <Code text={curl} label="curl" />
      <footer>
        <button type="button" class="primary" onClick={onClose}>
          I stored it
        </button>
      </footer>
    </Dialog>
  );
}
