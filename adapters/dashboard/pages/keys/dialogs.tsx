import { useState } from 'preact/hooks';
import { FormDialog } from '../parts/dialog.tsx';
import { Check, Field, Select, TextField } from '../parts/field.tsx';
import type { IssuedKeyAnswer, KeyAnswer } from '../../../../src/admin-api.ts';
import { ask } from '../server/api.ts';
import { show, type Issued } from './issued.ts';
import { EMPTY_WRITE_FORM, ReadField, toFilterSet, toRestrictions, WriteFields } from './write-fields.tsx';
import { DAY_MS } from '../time/unit.ts';

interface DialogProps {
  readonly alias: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const OVERLAPS = [
  ['0', 'at once'],
  [String(DAY_MS / 24), 'in an hour'],
  [String(DAY_MS), 'in a day'],
  [String(7 * DAY_MS), 'in a week'],
] as const;

/**
 * A dialog's request for a secret, and the next step: the dialog closes, and the view of the secret opens.
 */
const issuing = (alias: string, path: string, onDone: () => void) => ({
  send: async (body: object): Promise<Issued> => ({
    alias,
    ...(await ask<IssuedKeyAnswer>(`keys/${path}/${alias}`, body)),
  }),
  onDone: (done: Issued) => {
    onDone();
    show(done);
  },
});

/** The dialog that creates a key. */
export function NewKey({
  alias,
  names,
  first = { name: '', permission: 'query' },
  onDone,
  ...dialog
}: DialogProps & {
  /** The names of the existing keys. */
  readonly names: readonly string[];
  /** With what the form begins. */
  readonly first?: { readonly name: string; readonly permission: 'query' | 'ingest' };
}) {
  const [name, setName] = useState(first.name);
  const [permissions, setPermissions] = useState<readonly string[]>([first.permission]);
  const [expires, setExpires] = useState('');
  const [form, setForm] = useState(EMPTY_WRITE_FORM);
  const [readNames, setReadNames] = useState('');
  const isPublic = permissions.includes('write');
  const isForQueries = permissions.join() === 'query';
  const create = issuing(alias, 'create', onDone);
  // The key is valid until the end of that day in UTC.
  const expiresAt = expires === '' ? {} : { expiresAt: Date.parse(expires) + DAY_MS };
  return (
    <FormDialog
      {...dialog}
      title="Generate new secret"
      act="Generate"
      isUnready={permissions.length === 0}
      send={() =>
        create.send({
          ...{ name, permissions, ...expiresAt },
          ...(isPublic ? { restrictions: toRestrictions(form) } : {}),
          ...(isForQueries ? toFilterSet(readNames) : {}),
        })
      }
      onDone={create.onDone}
    >
      <TextField
        label="Name"
        hint={
          names.includes(name)
            ? 'Another key has this name. Only their ids will tell them apart.'
            : 'What it is for, such as the service that will use it.'
        }
        required
        autoFocus
        maxLength={64}
        value={name}
        onValue={setName}
      />
      <PermissionChecks chosen={permissions} setChosen={setPermissions} />
      {isForQueries && <ReadField names={readNames} setNames={setReadNames} />}
      {isPublic && <WriteFields form={form} setForm={setForm} />}
      <TextField
        label="Expires after (UTC)"
        hint="The last day on which it works. Leave empty for no expiry."
        type="date"
        min={new Date().toISOString().slice(0, 10)}
        value={expires}
        onValue={setExpires}
      />
    </FormDialog>
  );
}

/** The checks of what a new key permits. */
function PermissionChecks({
  chosen,
  setChosen,
}: {
  readonly chosen: readonly string[];
  readonly setChosen: (chosen: readonly string[]) => void;
}) {
  const toggle = (each: string) => {
    // A public write key has no other permission.
    const others = chosen.filter((other) => other !== each && other !== 'write');
    if (chosen.includes(each)) setChosen(others);
    else setChosen(each === 'write' ? [each] : [...others, each]);
  };
  return (
    <fieldset>
      <legend>Permissions</legend>
      <Check checked={chosen.includes('query')} onChange={() => toggle('query')}>
        query <small>use the Query API</small>
      </Check>
      <Check checked={chosen.includes('ingest')} onChange={() => toggle('ingest')}>
        ingest <small>send events where the strategy is SERVER_SIDE</small>
      </Check>
      <Check checked={chosen.includes('write')} onChange={() => toggle('write')}>
        write <small>a public key with which pages send events there</small>
      </Check>
    </fieldset>
  );
}

/** The dialog that gives a key another secret. */
export function RotateKey({
  alias,
  of: { id, name },
  onDone,
  ...dialog
}: DialogProps & { readonly of: KeyAnswer }) {
  const rotate = issuing(alias, 'rotate', onDone);
  const [overlap, setOverlap] = useState<string>(String(DAY_MS));
  return (
    <FormDialog
      {...dialog}
      title={`Rotate ${name}`}
      act="Rotate"
      send={() => rotate.send({ id, overlapMs: Number(overlap) })}
      onDone={rotate.onDone}
    >
      <p>The key gets a new secret. Its limits and its name stay the same.</p>
      <Field label="The old secret expires">
        {(ids) => <Select {...ids} autoFocus options={OVERLAPS} value={overlap} onValue={setOverlap} />}
      </Field>
    </FormDialog>
  );
}

/** The dialog that revokes a key. */
export function RevokeKey({ alias, of: { id, name }, ...dialog }: DialogProps & { readonly of: KeyAnswer }) {
  return (
    <FormDialog
      {...dialog}
      title={`Revoke ${name}?`}
      act="Revoke"
      isDangerous
      isQuestion
      send={() => ask(`keys/revoke/${alias}`, { id })}
    >
      <p>Requests with its secret are refused from now on. This cannot be undone.</p>
    </FormDialog>
  );
}
