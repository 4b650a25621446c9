import { useState } from 'preact/hooks';
import { ask, messageOf } from './api.ts';
import { useAnswer } from './loading.ts';
import { Empty, Notice, PageHead, Table, Time } from './parts.tsx';

interface Entry {
  readonly number: number;
  readonly at: number;
  readonly who: string;
  readonly from: string;
  readonly action: string;
  readonly alias: string | null;
  readonly details: object;
}
interface AuditAnswer {
  readonly entries: readonly Entry[];
  readonly before?: number;
}

const WORDS: Readonly<Record<string, string>> = {
  'tenant.create': 'made a tenant',
  'tenant.set': 'changed a tenant',
  'tenant.delete': 'deleted a tenant',
  'key.create': 'made a key',
  'key.rotate': 'rotated a key',
  'key.revoke': 'revoked a key',
  'pass.create': 'opened a way in',
  'pass.end': 'ended a way in',
};

/** Who changed what, when, and where from. */
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
  return (
    <>
      <PageHead
        title="Audit"
        lead="Every change, noted in the same transaction that made it. No secret is ever noted."
      >
        <button
          type="button"
          onClick={() => {
            setMore(undefined);
            again();
          }}
        >
          Look again
        </button>
      </PageHead>
      {(error ?? failed) !== undefined && <Notice kind="error">{error ?? failed}</Notice>}
      {first !== undefined && entries.length === 0 && (
        <Empty title="Nothing was changed yet">Changes to tenants and keys appear here.</Empty>
      )}
      {entries.length > 0 && (
        <Table label="Changes" class="stack">
          <thead>
            <tr>
              <th scope="col">When (UTC)</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">Tenant</th>
              <th scope="col">Details</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(({ number, at, who, action, alias, details, from }) => (
              <tr key={number}>
                <td data-label="When">
                  <Time ms={at} />
                </td>
                <td data-label="Who" class="strong">
                  {who}
                </td>
                <td data-label="What">{WORDS[action] ?? action}</td>
                <td data-label="Tenant">{alias ?? <span class="muted">none</span>}</td>
                <td data-label="Details">
                  <Details of={details} />
                </td>
                <td data-label="From" class="muted">
                  {from}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {before !== undefined && (
        <p class="more">
          <button type="button" onClick={loadMore}>
            Older changes
          </button>
        </p>
      )}
    </>
  );
}

function Details({ of }: { readonly of: object }) {
  const pairs = Object.entries(of).filter(([name]) => name !== 'id');
  if (pairs.length === 0) return <span class="muted">none</span>;
  return (
    <ul class="pairs">
      {pairs.map(([name, value]) => (
        <li key={name}>
          <span class="muted">{name}</span>{' '}
          <span>{typeof value === 'string' ? value : JSON.stringify(value)}</span>
        </li>
      ))}
    </ul>
  );
}
