import { useState } from 'preact/hooks';
import type { AdminAnswer, PersonSession, TenantAnswer } from '../../../../src/admin-api.ts';
import { seen } from '../address/written.ts';
import { figure } from '../parts/figure.ts';
import { AddButton, ListPage, type Act, type ListColumn } from '../parts/list.tsx';
import { Empty, Notice, Time } from '../parts/text.tsx';
import { ask, who } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { mayChange } from '../server/roles.ts';
import { EndSession } from './end-session.tsx';
import { Invite, InvitationLink } from './invite.tsx';

/** How many sessions the server lists at most. */
const SESSIONS_MAX = 1_000;
/** How many characters of an id the command line takes for a session. */
const SHORT_ID = 8;

const COLUMNS: readonly ListColumn<PersonSession>[] = [
  {
    head: 'Name',
    cell: ({ name, isCurrent, isPending }) => (
      <>
        <bdi class="strong">{seen(name)}</bdi> {isCurrent && <span class="tag">this browser</span>}
        {isPending && <span class="tag">link not used yet</span>}
      </>
    ),
  },
  { head: 'Role', cell: ({ role }) => <span class="tag">{role}</span> },
  { head: 'Tenants', cell: ({ tenants }) => <Tenants of={tenants} /> },
  { head: 'Signed in by', cell: (session) => <Origin of={session} /> },
  { head: 'Since', isTime: true, cell: ({ createdAt }) => <Time ms={createdAt} /> },
  { head: 'Last used', cell: ({ lastUsedAt }) => <Time ms={lastUsedAt} /> },
  { head: 'Expires', cell: ({ expiresAt }) => <Time ms={expiresAt} /> },
  { head: 'Id', cell: ({ id }) => <code title={id}>{id.slice(0, SHORT_ID)}</code> },
];

/** The open dialog of the page. */
type OpenDialog =
  | { readonly kind: 'invite' }
  | { readonly kind: 'link'; readonly name: string; readonly link: AdminAnswer<'invite'> }
  | { readonly kind: 'end'; readonly session: PersonSession };

/** The page of people: who is signed in, as far as the user may end it; it invites others. */
export function PeoplePage({
  tenants,
  tenant,
}: {
  readonly tenants: readonly TenantAnswer[];
  readonly tenant: TenantAnswer | undefined;
}) {
  const {
    value: sessions,
    error,
    again,
  } = useAnswer((signal) => ask<PersonSession[]>('sessions', undefined, { signal }), []);
  const [opened, setOpened] = useState<OpenDialog>();
  const actsOf = ({ isPending }: PersonSession): readonly Act<PersonSession>[] => [
    {
      text: isPending ? 'Withdraw link' : 'End session',
      isDangerous: true,
      act: (session) => setOpened({ kind: 'end', session }),
    },
  ];
  const own = tenants.filter(({ alias }) => mayChange(alias));
  return (
    <ListPage
      title="People"
      lead={
        who.value?.role === 'admin'
          ? 'Who is signed in. Ending a session applies from the next request on.'
          : 'Where you are signed in. Ending a session applies from the next request on.'
      }
      head={
        <>
          <button type="button" onClick={again}>
            Refresh
          </button>
          {who.value?.role === 'admin' && (
            <AddButton text="Invite" onAdd={() => setOpened({ kind: 'invite' })} />
          )}
        </>
      }
      error={error}
      again={again}
      notice={
        sessions?.length === SESSIONS_MAX && (
          <Notice>These are the latest {figure(SESSIONS_MAX)} sessions. There may be older ones.</Notice>
        )
      }
      rows={sessions}
      empty={<Empty title="Nobody is signed in">Sessions and unused links appear here.</Empty>}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      nameOf={({ name, id }) => `${name}, ${id.slice(0, SHORT_ID)}`}
      actsOf={actsOf}
      isDim={({ isPending }) => isPending}
    >
      {opened !== undefined && (
        <Opened
          dialog={opened}
          aliases={own.map(({ alias }) => alias)}
          first={tenant?.alias}
          sessions={sessions ?? []}
          open={setOpened}
          again={again}
        />
      )}
    </ListPage>
  );
}

/** The open dialog: an invitation, the link that it made, or the question whether sessions may end. */
function Opened({
  dialog,
  aliases,
  first,
  sessions,
  open,
  again,
}: {
  readonly dialog: OpenDialog;
  /** The tenants for which the user may invite. */
  readonly aliases: readonly string[];
  readonly first: string | undefined;
  readonly sessions: readonly PersonSession[];
  readonly open: (dialog: OpenDialog | undefined) => void;
  readonly again: () => void;
}) {
  const close = () => open(undefined);
  if (dialog.kind === 'link') return <InvitationLink name={dialog.name} link={dialog.link} onClose={close} />;
  if (dialog.kind === 'invite')
    return (
      <Invite
        tenants={aliases}
        first={first}
        onClose={close}
        onDone={(name, link) => {
          open({ kind: 'link', name, link });
          again();
        }}
      />
    );
  return (
    <EndSession
      of={dialog.session}
      namesakes={sessions.filter(({ name }) => name === dialog.session.name)}
      onClose={close}
      onDone={() => {
        close();
        again();
      }}
    />
  );
}

function Tenants({ of }: { readonly of: readonly string[] | null }) {
  if (of === null) return <>all</>;
  return of.length === 0 ? <span class="muted">none any more</span> : <>{of.join(', ')}</>;
}

/** How a person signed in. The subject of a provider, which nobody chooses, stands next to it. */
function Origin({ of: { provider, subject, invitedBy } }: { readonly of: PersonSession }) {
  if (provider === null)
    return invitedBy === null ? (
      <>link</>
    ) : (
      <>
        link of <bdi>{seen(invitedBy)}</bdi>
      </>
    );
  return (
    <details class="id">
      <summary>
        <bdi>{seen(subject ?? '')}</bdi>
      </summary>
      <span class="muted">at</span> {provider}
    </details>
  );
}
