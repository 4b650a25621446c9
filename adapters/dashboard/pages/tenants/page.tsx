import { useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { Copy } from '../parts/copy.tsx';
import { AddButton, ListPage, type Act, type ListColumn } from '../parts/list.tsx';
import { Empty } from '../parts/text.tsx';
import { linkTo } from '../address/address.ts';
import { seen } from '../address/written.ts';
import type { TenantAnswer } from '../../../../src/admin-api.ts';
import { mayOwn } from '../server/roles.ts';
import { NewTenant, RemoveTenant } from './dialogs.tsx';
import { EventCount, LastEvent } from './facts.tsx';

const COLUMNS: readonly ListColumn<TenantAnswer>[] = [
  {
    head: 'Alias',
    cell: ({ alias, id }) => (
      <>
        <a class="strong" href={linkTo('explore', alias)}>
          {alias}
        </a>{' '}
        <Copy text={alias} label={`Copy ${alias}`} isBrief />
        <details class="id">
          <summary>Id</summary>
          <code>{id}</code> <span class="muted">internal; URLs use the alias</span>
        </details>
      </>
    ),
  },
  { head: 'Name', cell: ({ name }) => <bdi>{seen(name)}</bdi> },
  { head: 'Plan', cell: ({ plan }) => <span class="tag">{plan}</span> },
  { head: 'Strategy', cell: ({ authStrategy }) => <span class="tag">{authStrategy}</span> },
  { head: 'Events', class: 'number', cell: ({ alias }) => <EventCount alias={alias} /> },
  { head: 'Last event', isTime: true, cell: ({ alias }) => <LastEvent alias={alias} /> },
];

/** The open dialog of the page. */
type OpenDialog = { readonly kind: 'new' } | { readonly kind: 'remove'; readonly tenant: TenantAnswer };

/** How many tenants the page shows at first and adds each time, since it requests the size of each. */
const ROWS = 100;

/** The page of all tenants, with the number of events of each. */
export function TenantsPage({
  tenants,
  reload,
}: {
  readonly tenants: readonly TenantAnswer[];
  readonly reload: () => void;
}) {
  const [opened, setOpened] = useState<OpenDialog>();
  const [shown, setShown] = useState(ROWS);
  const close = () => setOpened(undefined);
  const dialog = {
    onClose: close,
    onDone: () => {
      close();
      reload();
    },
  };
  const settings: Act<TenantAnswer> = {
    text: 'Settings',
    act: ({ alias }) => void (location.hash = linkTo('tenant', alias)),
  };
  const acts: readonly Act<TenantAnswer>[] = [
    settings,
    { text: 'Delete', isDangerous: true, act: (tenant) => setOpened({ kind: 'remove', tenant }) },
  ];
  return (
    <ListPage
      title="Tenants"
      lead="Each tenant has its own events, keys, limits and authentication strategy."
      head={mayOwn() && <AddButton text="New tenant" onAdd={() => setOpened({ kind: 'new' })} />}
      rows={tenants.slice(0, shown)}
      empty={
        <Empty title="No tenants yet">
          {mayOwn()
            ? 'Create one, then send it events and create a key.'
            : 'Ask an administrator of this server for one.'}
        </Empty>
      }
      columns={COLUMNS}
      isPaged
      keyOf={({ id }) => id}
      nameOf={({ alias }) => alias}
      actsOf={() => (mayOwn() ? acts : [settings])}
    >
      {tenants.length > shown && (
        <p class="more">
          <button type="button" onClick={() => setShown(shown + ROWS)}>
            More tenants
          </button>{' '}
          <span class="muted">
            {figure(shown)} of {figure(tenants.length)}
          </span>
        </p>
      )}
      {opened?.kind === 'new' && <NewTenant {...dialog} />}
      {opened?.kind === 'remove' && <RemoveTenant {...dialog} tenant={opened.tenant} />}
    </ListPage>
  );
}
