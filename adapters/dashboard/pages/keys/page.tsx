import { useState } from 'preact/hooks';
import { AddButton, ListPage, type Act, type ListColumn } from '../parts/list.tsx';
import { Empty, Notice, Time } from '../parts/text.tsx';
import type { KeyAnswer } from '../../../../src/admin-api.ts';
import { seen } from '../address/written.ts';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { mayChange } from '../server/roles.ts';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { NewKey, RevokeKey, RotateKey } from './dialogs.tsx';
import { issued, issuedView, settle, unsaved } from './issued.ts';
import { IssuedSecret } from './secret.tsx';
import { Permissions } from './write-fields.tsx';

issuedView.value = IssuedSecret;

const COLUMNS: readonly ListColumn<KeyAnswer>[] = [
  {
    head: 'Name',
    cell: ({ name, id, secrets }) => (
      <>
        <bdi class="strong">{seen(name)}</bdi>{' '}
        {secrets.map(({ ending, createdAt }) => (
          <code key={createdAt} class="muted" title="The last characters of the secret">
            …{ending}
          </code>
        ))}
        <details class="id">
          <summary>Id</summary>
          <code>{id}</code>
        </details>
      </>
    ),
  },
  { head: 'State', cell: (key) => <State of={key} /> },
  { head: 'Permissions', cell: (key) => <Permissions of={key} /> },
  { head: 'Created', isTime: true, cell: (key) => <Created of={key} /> },
  { head: 'Last used', cell: ({ lastUsedAt }) => <Time ms={lastUsedAt} /> },
  { head: 'Expires', cell: ({ expiresAt }) => <Time ms={expiresAt} /> },
];

/** The open dialog of the page. */
type OpenDialog = { readonly kind: 'new' } | { readonly kind: 'rotate' | 'revoke'; readonly key: KeyAnswer };

/** The page to list, create, rotate and revoke the keys of a tenant. */
export function KeysPage({ tenant: { alias, queryApi } }: TenantPageProps) {
  // The view of a secret can also revoke its key, so the list loads again.
  const {
    value: keys,
    error,
    again,
  } = useAnswer((signal) => ask<KeyAnswer[]>(`keys/${alias}`, undefined, { signal }), [alias, issued.value]);
  const [opened, setOpened] = useState<OpenDialog>();
  const dialog = {
    alias,
    onClose: () => setOpened(undefined),
    onDone: () => {
      setOpened(undefined);
      again();
    },
  };
  const actsOf = ({ state }: KeyAnswer): readonly Act<KeyAnswer>[] =>
    mayChange(alias) && state !== 'revoked'
      ? [
          { text: 'Rotate', act: (key) => setOpened({ kind: 'rotate', key }) },
          { text: 'Revoke', isDangerous: true, act: (key) => setOpened({ kind: 'revoke', key }) },
        ]
      : [];
  return (
    <ListPage
      title="Keys"
      lead="A key belongs to the tenant, not to a person. A secret is shown once; a write key is public."
      head={
        mayChange(alias) && <AddButton text="Generate new secret" onAdd={() => setOpened({ kind: 'new' })} />
      }
      error={error}
      again={again}
      notice={
        <>
          {!queryApi && (
            <Notice>
              This tenant’s plan does not include the Query API, so its query keys do not work yet.
            </Notice>
          )}
          {mayChange(alias) && (
            <Unsaved keys={keys ?? []} revoke={(key) => setOpened({ kind: 'revoke', key })} />
          )}
        </>
      }
      rows={keys}
      empty={
        <Empty title="No keys yet">
          Generate a secret with the query permission to query events from your backend.
        </Empty>
      }
      columns={COLUMNS}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      actsOf={actsOf}
      isDim={({ state }) => state !== 'active'}
    >
      {opened?.kind === 'new' && <NewKey {...dialog} names={keys?.map(({ name }) => name) ?? []} />}
      {opened?.kind === 'rotate' && <RotateKey {...dialog} of={opened.key} />}
      {opened?.kind === 'revoke' && <RevokeKey {...dialog} of={opened.key} />}
    </ListPage>
  );
}

/** Offers to revoke the keys whose secret may be lost because its window was closed. */
function Unsaved({
  keys,
  revoke,
}: {
  readonly keys: readonly KeyAnswer[];
  readonly revoke: (key: KeyAnswer) => void;
}) {
  const isLost = ({ id, state }: KeyAnswer) =>
    state === 'active' && unsaved.value.includes(id) && issued.value?.key.id !== id;
  return keys.filter(isLost).map((key) => (
    <Notice key={key.id}>
      <p>
        The secret of <bdi class="strong">{seen(key.name)}</bdi> was shown, but you have not confirmed that it
        is saved. It cannot be shown again.
      </p>
      <p class="ways">
        <button type="button" class="danger" onClick={() => revoke(key)}>
          Revoke this key
        </button>
        <button type="button" onClick={() => settle(key.id)}>
          It is saved
        </button>
      </p>
    </Notice>
  ));
}

/** When a key was created, and when it got its present secret, if that is not the first one. */
function Created({ of: { createdAt, secrets } }: { readonly of: KeyAnswer }) {
  const latest = secrets.at(-1)?.createdAt ?? createdAt;
  return (
    <>
      <Time ms={createdAt} />
      {latest > createdAt && (
        <p class="hint">
          rotated <Time ms={latest} />
        </p>
      )}
    </>
  );
}

function State({ of: { state, secrets } }: { readonly of: KeyAnswer }) {
  const ending = secrets.find((secret) => secret.expiresAt !== null);
  return (
    <>
      <span class={`tag ${state}`}>{state}</span>
      {secrets.length > 1 && ending !== undefined && (
        <p class="hint">
          2 secrets; the old one expires <Time ms={ending.expiresAt} />
        </p>
      )}
    </>
  );
}
