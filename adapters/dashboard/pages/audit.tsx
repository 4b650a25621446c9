import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../src/store-kit.ts';
import type { AuditAnswer } from '../../../src/transport-kit.ts';
import { ask, messageOf } from './server/api.ts';
import { useAnswer } from './server/loading.ts';
import { ListPage, type ListColumn } from './parts/list.tsx';
import { seen } from './address/question.ts';
import { Empty, Time } from './parts/text.tsx';

const WORDS: Readonly<Record<string, string>> = {
  'tenant.create': 'created a tenant',
  'tenant.set': 'changed a tenant',
  'tenant.delete': 'deleted a tenant',
  'key.create': 'created a key',
  'key.set': 'changed a key',
  'key.rotate': 'rotated a key',
  'key.revoke': 'revoked a key',
  'config.set': 'set a remote config value',
  'config.unset': 'removed a remote config value',
  'view.create': 'saved a view',
  'view.set': 'changed a view',
  'view.delete': 'deleted a view',
  'limits.reset': 'reset limits',
  'refusals.clear': 'cleared refusals',
  'events.erase': 'erased events',
  'pass.create': 'created a link, session or admin key',
  'pass.end': 'ended a link, session or admin key',
};

const COLUMNS: readonly ListColumn<AuditEntry>[] = [
  { head: 'When', note: ' (UTC)', cell: ({ at }) => <Time ms={at} /> },
  { head: 'Who', cell: (entry) => <Who of={entry} /> },
  { head: 'What', cell: ({ action }) => WORDS[action] ?? action },
  { head: 'Tenant', cell: ({ alias }) => alias ?? <span class="muted">none</span> },
  { head: 'Details', cell: ({ details }) => <Details of={details} /> },
  { head: 'From', class: 'muted', cell: ({ from }) => from },
];

/** The audit log: who made which change, when, and from which address. */
export function AuditPage() {
  const [more, setMore] = useState<AuditAnswer>();
  const [failed, setFailed] = useState<string>();
  const {
    value: first,
    error,
    again,
  } = useAnswer((signal) => ask<AuditAnswer>('audit', undefined, { signal }), []);
  const entries = [...(first?.entries ?? []), ...(more?.entries ?? [])];
  const before = more === undefined ? first?.before : more.before;
  const loadMore = () =>
    void ask<AuditAnswer>(`audit?before=${before}`).then(
      (next) => setMore({ ...next, entries: [...(more?.entries ?? []), ...next.entries] }),
      (refused: unknown) => setFailed(messageOf(refused)),
    );
  const refresh = () => {
    setMore(undefined);
    setFailed(undefined);
    again();
  };
  return (
    <ListPage
      title="Audit"
      lead="Every change is recorded in its own transaction. Secrets are never recorded."
      head={
        <button type="button" onClick={refresh}>
          Refresh
        </button>
      }
      error={error ?? failed}
      again={refresh}
      rows={first === undefined ? undefined : entries}
      empty={<Empty title="No changes yet">Changes to tenants and keys appear here.</Empty>}
      columns={COLUMNS}
      keyOf={({ id }) => id}
    >
      {before !== undefined && (
        <p class="more">
          <button type="button" onClick={loadMore}>
            Older changes
          </button>
        </p>
      )}
    </ListPage>
  );
}

/**
 * The person of an audit entry. People may choose their name at a provider, so the provider's subject and the
 * id of the credential, which they cannot choose, stand next to it.
 */
function Who({ of: { who, passId, person } }: { readonly of: AuditEntry }) {
  return (
    <>
      <bdi class="strong">{seen(who)}</bdi>
      {typeof passId === 'string' && (
        <details class="id">
          <summary>{person === null ? 'AdminCredential' : <bdi>{seen(person.subject)}</bdi>}</summary>
          {person !== null && (
            <>
              <span class="muted">at</span> {person.issuer}, <span class="muted">by the session</span>{' '}
            </>
          )}
          <code>{passId}</code>
        </details>
      )}
    </>
  );
}

/** One value of an audit entry as readable text. */
function toText(name: string, value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'number' && name.endsWith('At')) return new Date(value).toISOString();
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, each]) => `${key} ${toText(key, each)}`)
      .join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // Names are shown in full. A public key is as long as a page, and its beginning identifies it.
  return text.length > TEXT_LENGTH ? `${text.slice(0, TEXT_LENGTH)}…` : text;
}

const TEXT_LENGTH = 256;

function Details({ of }: { readonly of: object }) {
  const pairs = Object.entries(of).filter(([name]) => name !== 'id');
  if (pairs.length === 0) return <span class="muted">none</span>;
  return (
    <ul class="pairs">
      {pairs.map(([name, value]) => (
        <li key={name}>
          <span class="muted">{name}</span> <span>{toText(name, value)}</span>
        </li>
      ))}
    </ul>
  );
}
