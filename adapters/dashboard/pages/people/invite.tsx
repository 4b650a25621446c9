import { useState } from 'preact/hooks';
import type { AdminAnswer } from '../../../../src/admin-api.ts';
import { Code } from '../parts/copy.tsx';
import { Dialog, FormDialog } from '../parts/dialog.tsx';
import { Check, Field, Select, TextField } from '../parts/field.tsx';
import { useFirst } from '../parts/first.tsx';
import { Notice } from '../parts/text.tsx';
import { seen } from '../address/written.ts';
import { ask } from '../server/api.ts';
import { mayOwn } from '../server/roles.ts';

const ROLES = [
  ['viewer', 'Viewer: reads and queries'],
  ['admin', 'Admin: also makes changes'],
] as const;

interface InviteProps {
  /** The aliases of the tenants that the user administers. */
  readonly tenants: readonly string[];
  /** The tenant that the user saw before, which is chosen at first. */
  readonly first: string | undefined;
  readonly onClose: () => void;
  readonly onDone: (name: string, link: AdminAnswer<'invite'>) => void;
}

/** The dialog that makes a sign-in link for a colleague. */
export function Invite({ tenants, first, onClose, onDone }: InviteProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof ROLES)[number][0]>('viewer');
  const [isAll, setAll] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>(
    tenants.filter((alias) => alias === first || tenants.length === 1),
  );
  const { shown, more } = useFirst(tenants, 'tenants');
  const toggle = (alias: string) =>
    setChosen(chosen.includes(alias) ? chosen.filter((each) => each !== alias) : [...chosen, alias]);
  const send = () =>
    ask<AdminAnswer<'invite'>>('sessions/invite', { name, role, tenants: isAll ? null : chosen });
  return (
    <FormDialog
      title="Invite a colleague"
      act="Create link"
      isUnready={!isAll && chosen.length === 0}
      send={send}
      onDone={(link) => onDone(name.trim(), link)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Others see it here and in the audit log."
        required
        autoFocus
        maxLength={256}
        value={name}
        onValue={setName}
      />
      <Field label="Role">
        {(ids) => <Select {...ids} options={ROLES} value={role} onValue={setRole} />}
      </Field>
      <fieldset class="reach">
        <legend>Tenants</legend>
        {mayOwn() && (
          <Check checked={isAll} onChange={() => setAll(!isAll)}>
            All tenants <small>including future ones</small>
          </Check>
        )}
        {!isAll &&
          shown.map((alias) => (
            <Check key={alias} checked={chosen.includes(alias)} onChange={() => toggle(alias)}>
              {alias}
            </Check>
          ))}
        {!isAll && more}
      </fieldset>
    </FormDialog>
  );
}

const LOOPBACK = /^(?:localhost|127\..*|\[::1\])$/;

/** The only view of an invitation’s link. */
export function InvitationLink({
  name,
  link,
  onClose,
}: {
  readonly name: string;
  readonly link: AdminAnswer<'invite'>;
  readonly onClose: () => void;
}) {
  const until = new Date(link.expiresAt).toISOString().slice(11, 16);
  return (
    <Dialog title={`Link for ${name}`} onClose={onClose}>
      <p>
        It signs in once, until {until} UTC. Send it only to <bdi class="strong">{seen(name)}</bdi>: whoever
        opens it first is signed in. It is not shown again.
      </p>
      <Code text={link.url} label="link" />
      {LOOPBACK.test(location.hostname) && (
        <Notice>
          This address works only on the machine of the server, or through an SSH tunnel to it. Start the
          server with <code>--dashboard-url</code> to reach it from elsewhere.
        </Notice>
      )}
      <footer>
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
