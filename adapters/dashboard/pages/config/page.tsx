import { useState } from 'preact/hooks';
import type { ConfigEntry } from '../../../../src/store-kit.ts';
import type { TenantAnswer } from '../../../../src/admin-api.ts';
import { seen } from '../address/written.ts';
import { AddButton, ListPage, type Act, type ListColumn } from '../parts/list.tsx';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { Empty } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { mayChange } from '../server/roles.ts';
import { SetValue, UnsetValue } from './dialogs.tsx';

const COLUMNS: readonly ListColumn<ConfigEntry>[] = [
  { head: 'Key', cell: ({ key }) => <span class="strong">{key}</span> },
  { head: 'Value', cell: ({ value }) => <Value of={value} /> },
];

/** Who reads the values, by the tenant's strategy. */
const READERS: Readonly<Record<TenantAnswer['authStrategy'], string>> = {
  NONE: 'Everybody who knows the alias can read them, so they are no place for secrets.',
  SERVER_SIDE: 'Programs read them with a secret key of this tenant.',
  JWT: 'Pages read them with the access token of their user.',
};

/** How many characters of a value are always shown. */
const SHOWN_LENGTH = 200;

function Value({ of }: { readonly of: string }) {
  if (of.length <= SHOWN_LENGTH) return <bdi>{seen(of)}</bdi>;
  return (
    <details>
      <summary>
        <bdi>{seen(of.slice(0, SHOWN_LENGTH))}…</bdi>
      </summary>
      <bdi>{seen(of)}</bdi>
    </details>
  );
}

/** The open dialog of the page. */
interface OpenDialog {
  readonly kind: 'set' | 'unset';
  readonly entry?: ConfigEntry;
}

/** The page to list, set and remove the remote config of a tenant. */
export function ConfigPage({ tenant: { alias, authStrategy } }: TenantPageProps) {
  const {
    value: entries,
    error,
    again,
  } = useAnswer((signal) => ask<ConfigEntry[]>(`config/${alias}`, undefined, { signal }), [alias]);
  const [opened, setOpened] = useState<OpenDialog>();
  const dialog = {
    alias,
    onClose: () => setOpened(undefined),
    onDone: () => {
      setOpened(undefined);
      again();
    },
  };
  const actsOf = (): readonly Act<ConfigEntry>[] =>
    mayChange(alias)
      ? [
          { text: 'Change', act: (entry) => setOpened({ kind: 'set', entry }) },
          { text: 'Remove', isDangerous: true, act: (entry) => setOpened({ kind: 'unset', entry }) },
        ]
      : [];
  return (
    <ListPage
      title="Remote config"
      lead={`Values that pages read with getConfig of the web SDK. ${READERS[authStrategy]}`}
      head={mayChange(alias) && <AddButton text="Set a value" onAdd={() => setOpened({ kind: 'set' })} />}
      error={error}
      again={again}
      rows={entries}
      empty={<Empty title="No values yet">Until a key has a value here, pages use their own default.</Empty>}
      columns={COLUMNS}
      keyOf={({ key }) => key}
      actsOf={actsOf}
    >
      {opened?.kind === 'set' && <SetValue {...dialog} of={opened.entry} />}
      {opened?.kind === 'unset' && <UnsetValue {...dialog} of={opened.entry!} />}
    </ListPage>
  );
}
