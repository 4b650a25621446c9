import { useState } from 'preact/hooks';
import type { EventShape, ToldRefusal, ValueShape } from '../../../src/store-kit.ts';
import { seen } from './address/written.ts';
import { FormDialog } from './parts/dialog.tsx';
import { figure } from './parts/figure.ts';
import { ListPage, type ListColumn } from './parts/list.tsx';
import type { TenantPageProps } from './parts/tenant-page.ts';
import { Empty, Time } from './parts/text.tsx';
import { ask } from './server/api.ts';
import { useAnswer } from './server/loading.ts';
import { mayChange } from './server/roles.ts';

const COLUMNS: readonly ListColumn<ToldRefusal>[] = [
  {
    head: 'What',
    cell: ({ count, of }) => (
      <span class="strong">
        {figure(count)} {count === 1 ? of.slice(0, -1) : of}
      </span>
    ),
  },
  { head: 'Why', cell: ({ why }) => why },
  { head: 'Last', isTime: true, cell: ({ lastAt }) => <Time ms={lastAt} /> },
  { head: 'First', isTime: true, cell: ({ firstAt }) => <Time ms={firstAt} /> },
  {
    head: 'Example',
    cell: ({ example }) => (example === null ? <span class="muted">none</span> : <Example of={example} />),
  },
];

/** The page of what was refused of a tenant's senders, and why. */
export function RefusalsPage({ tenant: { alias } }: TenantPageProps) {
  const {
    value: refusals,
    error,
    loading,
    again,
  } = useAnswer((signal) => ask<ToldRefusal[]>(`refusals/${alias}`, undefined, { signal }), [alias]);
  const [isClearing, setClearing] = useState(false);
  return (
    <ListPage
      title="Refusals"
      lead="Events and requests that were not stored, and why. Values are never kept."
      head={
        <>
          <button type="button" onClick={again} disabled={loading}>
            Refresh
          </button>
          {mayChange(alias) && (
            <button type="button" onClick={() => setClearing(true)} disabled={refusals?.length === 0}>
              Clear
            </button>
          )}
        </>
      }
      notice={
        isClearing && (
          <FormDialog
            title={`Clear the refusals of ${alias}?`}
            act="Clear"
            isQuestion
            send={() => ask(`refusals/clear/${alias}`, {})}
            onClose={() => setClearing(false)}
            onDone={() => {
              setClearing(false);
              again();
            }}
          >
            <p>This sets the counts back to none, to see what is still refused. The audit log records it.</p>
          </FormDialog>
        )
      }
      error={error}
      again={again}
      rows={refusals}
      empty={<Empty title="Nothing was refused">Events that are not stored will appear here.</Empty>}
      columns={COLUMNS}
      keyOf={({ reason }) => reason}
    />
  );
}

/** An event without its values. */
function Example({ of: { where, fields, more, ...event } }: { readonly of: EventShape }) {
  return (
    <details>
      <summary>{where === undefined ? toWords(event) : <bdi>{seen(where)}</bdi>}</summary>
      <ul class="pairs">
        {fields.map((field, i) => (
          <li key={i}>
            <bdi class="muted">{seen(field.key)}</bdi> <span>{toWords(field)}</span>
          </li>
        ))}
        {more > 0 && <li>and {figure(more)} more</li>}
      </ul>
    </details>
  );
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'elements', object: 'keys' };

function toWords({ type, length }: ValueShape): string {
  return length === undefined ? type : `${type}, ${figure(length)} ${UNITS[type] ?? ''}`;
}
