import { useState } from 'preact/hooks';
import { ask, messageOf, type Key } from './api.ts';
import { useAnswer } from './loading.ts';
import { Code, Dialog, Empty, Field, Icon, Notice, PageHead, Table, Time } from './parts.tsx';
import { mayChange } from './roles.ts';
import type { TenantPageProps } from './tenant-page.ts';

/** A key with its secret, which is nowhere else: it goes with the dialog that shows it. */
interface Issued {
  readonly key: Key;
  readonly secret: string;
}

const DAY_MS = 86_400_000;
const OVERLAPS: readonly (readonly [string, number])[] = [
  ['at once', 0],
  ['in an hour', DAY_MS / 24],
  ['in a day', DAY_MS],
  ['in a week', 7 * DAY_MS],
];

/** The keys of a tenant: make, rotate, revoke. */
export function KeysPage({ tenant: { alias, queryApi } }: TenantPageProps) {
  const {
    value: keys,
    error,
    again,
  } = useAnswer((signal) => ask<Key[]>(`keys/${alias}`, undefined, { signal }), [alias]);
  const [opened, setOpened] = useState<
    'new' | { readonly rotate: Key } | { readonly revoke: Key } | Issued
  >();
  const close = () => setOpened(undefined);
  const show = (issued: Issued) => {
    setOpened(issued);
    again();
  };
  return (
    <>
      <PageHead
        title="Keys"
        lead="A key belongs to the tenant, not to a person. Its secret is shown once and kept as a hash."
      >
        {mayChange() && (
          <button type="button" class="primary" onClick={() => setOpened('new')}>
            <Icon name="plus" /> Generate new secret
          </button>
        )}
      </PageHead>
      {!queryApi && <Notice>The plan of this tenant has no Query API: keys for it open nothing yet.</Notice>}
      {error !== undefined && <Notice kind="error">{error}</Notice>}
      {keys?.length === 0 && (
        <Empty title="No key yet">
          Generate a secret with the permission query to ask for events from your backend.
        </Empty>
      )}
      {keys !== undefined && keys.length > 0 && (
        <Table label="Keys" class="stack">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">State</th>
              <th scope="col">Permissions</th>
              <th scope="col">Created (UTC)</th>
              <th scope="col">Last used</th>
              <th scope="col">Expires</th>
              <th scope="col">
                <span class="hidden">What to do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <Row
                key={key.id}
                of={key}
                rotate={() => setOpened({ rotate: key })}
                revoke={() => setOpened({ revoke: key })}
              />
            ))}
          </tbody>
        </Table>
      )}
      {opened === 'new' && <New alias={alias} onClose={close} onDone={show} />}
      {typeof opened === 'object' && 'rotate' in opened && (
        <Rotate alias={alias} of={opened.rotate} onClose={close} onDone={show} />
      )}
      {typeof opened === 'object' && 'revoke' in opened && (
        <Revoke
          alias={alias}
          of={opened.revoke}
          onClose={close}
          onDone={() => {
            close();
            again();
          }}
        />
      )}
      {typeof opened === 'object' && 'secret' in opened && (
        <Secret alias={alias} issued={opened} onClose={close} />
      )}
    </>
  );
}

function Row({
  of: key,
  rotate,
  revoke,
}: {
  readonly of: Key;
  readonly rotate: () => void;
  readonly revoke: () => void;
}) {
  const { name, state, permissions, createdAt, lastUsedAt, expiresAt, secrets, id } = key;
  const ending = secrets.find((secret) => secret.expiresAt !== null);
  return (
    <tr class={state === 'active' ? '' : 'dim'}>
      <td data-label="Name">
        <span class="strong">{name}</span>
        <details class="id">
          <summary>Id</summary>
          <code>{id}</code>
        </details>
      </td>
      <td data-label="State">
        <span class={`tag ${state}`}>{state}</span>
        {secrets.length > 1 && ending !== undefined && (
          <p class="hint">
            2 secrets; the old one ends <Time ms={ending.expiresAt} />
          </p>
        )}
      </td>
      <td data-label="Permissions">{permissions.join(', ')}</td>
      <td data-label="Created">
        <Time ms={createdAt} />
      </td>
      <td data-label="Last used">
        <Time ms={lastUsedAt} />
      </td>
      <td data-label="Expires">
        <Time ms={expiresAt} />
      </td>
      <td class="right">
        {mayChange() && state !== 'revoked' && (
          <>
            <button type="button" class="small" onClick={rotate} aria-label={`Rotate ${name}`}>
              Rotate
            </button>{' '}
            <button type="button" class="small danger" onClick={revoke} aria-label={`Revoke ${name}`}>
              Revoke
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

interface FormProps {
  readonly alias: string;
  readonly onClose: () => void;
  readonly onDone: (done: Issued) => void;
}

function useIssue(onDone: (done: Issued) => void) {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const issue = (path: string, body: object) => {
    setBusy(true);
    ask<Issued>(path, body).then(onDone, (refused: unknown) => {
      setError(messageOf(refused));
      setBusy(false);
    });
  };
  return { error, busy, issue };
}

function New({ alias, onClose, onDone }: FormProps) {
  const [name, setName] = useState('');
  const [permissions, setPermissions] = useState<readonly string[]>(['query']);
  const [expires, setExpires] = useState('');
  const { error, busy, issue } = useIssue(onDone);
  const toggle = (each: string) =>
    setPermissions(
      permissions.includes(each) ? permissions.filter((other) => other !== each) : [...permissions, each],
    );
  return (
    <Dialog title="Generate new secret" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // Through the end of that day in UTC.
          const expiresAt = expires === '' ? {} : { expiresAt: Date.parse(expires) + DAY_MS };
          issue(`keys/create/${alias}`, { name, permissions, ...expiresAt });
        }}
      >
        <Field label="Name" hint="What it is for: the service that will hold it.">
          {(ids) => (
            <input
              {...ids}
              required
              autoFocus
              maxLength={256}
              value={name}
              onInput={(e) => setName(e.currentTarget.value)}
            />
          )}
        </Field>
        <fieldset>
          <legend>Permissions</legend>
          <label class="check">
            <input type="checkbox" checked={permissions.includes('query')} onChange={() => toggle('query')} />
            <span>
              query <small>ask the Query API</small>
            </span>
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={permissions.includes('ingest')}
              onChange={() => toggle('ingest')}
            />
            <span>
              ingest <small>send events where the strategy is SERVER_SIDE</small>
            </span>
          </label>
        </fieldset>
        <Field label="Last day (UTC)" hint="Empty: it does not expire.">
          {(ids) => (
            <input {...ids} type="date" value={expires} onInput={(e) => setExpires(e.currentTarget.value)} />
          )}
        </Field>
        {error !== undefined && <Notice kind="error">{error}</Notice>}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy || permissions.length === 0}>
            Generate
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function Rotate({ alias, of: { id, name }, onClose, onDone }: FormProps & { readonly of: Key }) {
  const [overlapMs, setOverlap] = useState(DAY_MS);
  const { error, busy, issue } = useIssue(onDone);
  return (
    <Dialog title={`Rotate ${name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          issue(`keys/rotate/${alias}`, { id, overlapMs });
        }}
      >
        <p>The key gets a new secret. Its limits and its name stay.</p>
        <Field label="The old secret ends">
          {(ids) => (
            <select
              {...ids}
              autoFocus
              value={overlapMs}
              onChange={(e) => setOverlap(Number(e.currentTarget.value))}
            >
              {OVERLAPS.map(([text, ms]) => (
                <option key={ms} value={ms}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        {error !== undefined && <Notice kind="error">{error}</Notice>}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy}>
            Rotate
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function Revoke({ alias, of: { id, name }, onClose, onDone }: FormProps & { readonly of: Key }) {
  const { error, busy, issue } = useIssue(onDone);
  return (
    <Dialog title={`Revoke ${name}?`} onClose={onClose}>
      <p>Whoever holds its secret is refused from the next request on. This cannot be undone.</p>
      {error !== undefined && <Notice kind="error">{error}</Notice>}
      <footer>
        <button type="button" autoFocus onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          disabled={busy}
          onClick={() => issue(`keys/revoke/${alias}`, { id })}
        >
          Revoke
        </button>
      </footer>
    </Dialog>
  );
}

/** The one view of a secret: nothing but the button closes it. */
function Secret({
  alias,
  issued: { key, secret },
  onClose,
}: {
  readonly alias: string;
  readonly issued: Issued;
  readonly onClose: () => void;
}) {
  const origin = location.origin;
  const curl = key.permissions.includes('query')
    ? `curl -s '${origin}/v1/api/query/count/${alias}' -H 'X-API-Key: ${secret}' -H 'Content-Type: application/json' -d '{}'`
    : `curl -s '${origin}/v1/events/${alias}/multi' -H 'Authorization: Chase ${secret}' -H 'Content-Type: application/json' -d '[{"eventName":"hello","userId":"ada"}]'`;
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
