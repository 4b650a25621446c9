import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { AdminAnswer, TenantAnswer } from '../../../../src/admin-api.ts';
import { ask, messageOf } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { ListPage, type ListColumn } from '../parts/list.tsx';
import { cut, seen } from '../address/written.ts';
import { Ago } from '../parts/ago.tsx';
import { Empty } from '../parts/text.tsx';
import { AuditFilters, auditPath, linkToOnly } from './filters.tsx';
import { detailsOf, wordsOf } from './words.ts';

type ShownEntry = AdminAnswer<'audit'>['entries'][number];

const columnsFor = (aliasOf: (id: string) => string | undefined): readonly ListColumn<ShownEntry>[] => [
  { head: 'When', isTime: true, cell: ({ at }) => <Ago ms={at} /> },
  { head: 'Who', cell: (entry) => <Who of={entry} /> },
  {
    head: 'What',
    cell: ({ action, details }) => wordsOf(action, details),
  },
  {
    head: 'Tenant',
    cell: ({ alias }) =>
      alias === null ? (
        <span class="muted">none</span>
      ) : (
        <Only name="tenant" value={alias}>
          {alias}
        </Only>
      ),
  },
  {
    head: 'Details',
    cell: ({ action, id, details }) => (
      <Details
        // The receipt of an erasure names its entry.
        of={[...detailsOf(details, aliasOf), ...(action === 'events.erase' ? [['entry', id] as const] : [])]}
      />
    ),
  },
  { head: 'From', class: 'muted', cell: ({ from }) => from },
];

/** The audit log: who made which change, when, and from which address. */
export function AuditPage({ tenants }: { readonly tenants: readonly TenantAnswer[] }) {
  const path = auditPath();
  const columns = useMemo(() => {
    const aliases = new Map(tenants.map(({ id, alias }) => [id, alias]));
    return columnsFor((id) => aliases.get(id));
  }, [tenants]);
  const [further, setFurther] = useState<AdminAnswer<'audit'> & { readonly path: string }>();
  const [failed, setFailed] = useState<string>();
  const {
    value: first,
    error,
    isOld,
    again,
  } = useAnswer((signal) => ask<AdminAnswer<'audit'>>(path, undefined, { signal }), [path]);
  // Pages of other filters are not of this list.
  const more = further?.path === path ? further : undefined;
  const entries = [...(first?.entries ?? []), ...(more?.entries ?? [])];
  const before = more === undefined ? first?.before : more.before;
  const loadMore = () =>
    void ask<AdminAnswer<'audit'>>(auditPath(before)).then(
      (next) => setFurther({ ...next, path, entries: [...(more?.entries ?? []), ...next.entries] }),
      (refused: unknown) => setFailed(messageOf(refused)),
    );
  const refresh = () => {
    setFurther(undefined);
    setFailed(undefined);
    again();
  };
  return (
    <div class={isOld ? 'audit old' : 'audit'}>
      <ListPage
        title="Audit"
        lead="Every change is recorded in its own transaction. Secrets are never recorded."
        head={
          <button type="button" onClick={refresh}>
            Refresh
          </button>
        }
        notice={<AuditFilters tenants={tenants.map(({ alias }) => alias)} />}
        error={error ?? failed}
        again={refresh}
        rows={first === undefined ? undefined : entries}
        empty={
          <Empty title={before === undefined ? 'No changes found' : 'None among the newest changes'}>
            {before === undefined
              ? 'Changes to tenants and keys appear here.'
              : 'Older changes were not looked at yet.'}
          </Empty>
        }
        columns={columns}
        isPaged
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
    </div>
  );
}

/** A link to the entries that have this value as well. */
function Only({
  name,
  value,
  children,
}: {
  readonly name: 'who' | 'tenant';
  readonly value: string;
  readonly children: ComponentChildren;
}) {
  return (
    <a class="user" href={linkToOnly(name, value)}>
      {children}
    </a>
  );
}

/**
 * The person of an audit entry. People may choose their name at a provider, so the provider's subject and the
 * id of the credential, which they cannot choose, stand next to it.
 */
function Who({ of: { who, credentialId, person } }: { readonly of: ShownEntry }) {
  return (
    <>
      <Only name="who" value={who}>
        <bdi class="strong">{seen(who)}</bdi>
      </Only>
      {typeof credentialId === 'string' && (
        <details class="id">
          <summary>{person === null ? 'Credential' : <bdi>{seen(person.subject)}</bdi>}</summary>
          {person !== null && (
            <>
              <span class="muted">at</span> {person.issuer}, <span class="muted">by the session</span>{' '}
            </>
          )}
          <code>{credentialId}</code>
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
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Names are shown in full. A public key is as long as a page, and its beginning identifies it. */
const TEXT_LENGTH = 256;

function Details({ of: pairs }: { readonly of: ReturnType<typeof detailsOf> }) {
  if (pairs.length === 0) return <span class="muted">none</span>;
  return (
    <ul class="pairs">
      {pairs.map(([name, value]) => (
        <li key={name}>
          <span class="muted">{name}</span> <bdi>{cut(toText(name, value), TEXT_LENGTH)}</bdi>
        </li>
      ))}
    </ul>
  );
}
