import { useState } from 'preact/hooks';
import type { Breakdown, CountBody, ErasureReceipt, Event } from '../../../../src/index.ts';
import { linkTo } from '../address/address.ts';
import { questionBehind } from '../address/kept.ts';
import { place } from '../address/place.ts';
import { seen } from '../address/written.ts';
import { Export } from '../explore/export.tsx';
import { hasValue } from '../explore/filter/comparisons.ts';
import { Bar } from '../explore/bar.tsx';
import { Erased, EraseEvents } from '../parts/erase-events.tsx';
import { figure } from '../parts/figure.ts';
import { useFirst } from '../parts/first.tsx';
import { inZone } from '../parts/list.tsx';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { Empty, PageHead, Refusal, Time } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { mayChange } from '../server/roles.ts';
import { askingFor, loadEvents, UserEvents } from './events.tsx';
import { History } from './history.tsx';
import { oldestFirst } from './oldest.ts';

/** All that is known of one user: a timeline of the user's events, and figures about all of them. */
export function PersonPage({ tenant: { alias } }: TenantPageProps) {
  const user = place.value.parameters.get('user') ?? '';
  if (user === '')
    return (
      <Empty isPage title="This link names no user">
        <a href={linkTo('users', alias, { range: 'all' })}>Show all users.</a>
      </Empty>
    );
  return <User key={user} alias={alias} user={user} />;
}

/** The largest number of names that a breakdown returns. */
const NAMES_MAX = 1000;

interface Facts {
  readonly names: Breakdown;
  readonly first: Event | undefined;
  readonly last: Event | undefined;
}

async function loadFacts(alias: string, body: CountBody, signal: AbortSignal): Promise<Facts> {
  const [names, oldest, newest] = await Promise.all([
    ask<Breakdown>(`query/breakdown/${alias}`, { ...body, by: 'eventName', size: NAMES_MAX }, { signal }),
    oldestFirst(askingFor(alias, body, signal), 0, 1),
    ask<Event[]>(`query/${alias}`, { ...body, pagination: { size: 1 } }, { signal }),
  ]);
  return { names, first: oldest.events[0], last: newest[0] };
}

function User({ alias, user }: { readonly alias: string; readonly user: string }) {
  const { parameters } = place.value;
  const body: CountBody = { filterSet: [hasValue('userId', user, false)] };
  const [isErasing, setErasing] = useState(false);
  const [erased, setErased] = useState<ErasureReceipt>();
  const facts = useAnswer((signal) => loadFacts(alias, body, signal), [alias, user]);
  const page = ['order', 'offset', 'cursor', 'at'].map((name) => parameters.get(name) ?? '').join(' ');
  const events = useAnswer((signal) => loadEvents(alias, body, parameters, signal), [alias, user, page]);
  const refresh = () => {
    facts.again();
    events.again();
  };
  const shown = events.isOld ? undefined : events.value;
  const filter = JSON.stringify(body.filterSet);
  return (
    <>
      <PageHead title={seen(user)} lead={`A user of ${alias}.`}>
        <button type="button" onClick={refresh} disabled={facts.loading || events.loading}>
          Refresh
        </button>
        <BackToUsers alias={alias} parameters={parameters} />
        <a class="button" href={linkTo('explore', alias, { range: 'all', filter })}>
          Open in Explorer
        </a>
        <Export alias={alias} body={body} name={`${alias}-user`} />
        {mayChange(alias) && (
          <button type="button" class="danger" onClick={() => setErasing(true)}>
            Erase…
          </button>
        )}
      </PageHead>
      {erased !== undefined && <Erased receipt={erased} />}
      {facts.error !== undefined && <Refusal error={facts.error} again={facts.again} />}
      <FactList {...(facts.loading ? undefined : facts.value)} />
      <div class="columns wide-left">
        <UserEvents loaded={events} />
        <div class="aside">
          {/* Without events there are no names: the list goes before it would be moved. */}
          {(shown?.events.length !== 0 || (facts.value?.names.total ?? 0) > 0) && (
            <Names alias={alias} filter={filter} {...(facts.loading ? undefined : facts.value)} />
          )}
          {/* It comes last, so that the list above it does not push it down. */}
          {facts.value !== undefined && shown !== undefined && shown.events.length > 0 && (
            <History events={shown.isOldestFirst ? shown.events : shown.events.toReversed()} />
          )}
        </div>
      </div>
      {isErasing && (
        <EraseEvents
          title="Erase this user?"
          alias={alias}
          body={body}
          confirmedBy={user}
          onClose={() => setErasing(false)}
          onDone={(receipt) => {
            setErasing(false);
            setErased(receipt);
            refresh();
          }}
        >
          of <bdi class="strong">{seen(user)}</bdi>
        </EraseEvents>
      )}
    </>
  );
}

/** The way to the table of users: to the question by which this one was found, or to all users. */
function BackToUsers({
  alias,
  parameters,
}: {
  readonly alias: string;
  readonly parameters: URLSearchParams;
}) {
  const question = questionBehind(parameters);
  const isKnown = Object.keys(question).length > 0;
  return (
    <a class="button" href={linkTo('users', alias, isKnown ? question : { range: 'all' })}>
      {isKnown ? 'Back to users' : 'All users'}
    </a>
  );
}

/** The figures about all events of a user; `…` while they are not known. */
function FactList({ names, first, last }: Partial<Facts>) {
  const pairs = [
    ['Events', names === undefined ? '…' : figure(names.total)],
    [inZone('First seen'), names === undefined ? '…' : <Time ms={first?.eventTs ?? null} />],
    [inZone('Last seen'), names === undefined ? '…' : <Time ms={last?.eventTs ?? null} />],
    ['Event names', names === undefined ? '…' : figure(names.groupsTotal)],
  ] as const;
  return (
    <dl class="facts card" aria-busy={names === undefined}>
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How many events of each name a user has. A name leads to these events in the explorer. */
function Names({
  alias,
  filter,
  names,
}: Partial<Facts> & { readonly alias: string; readonly filter: string }) {
  const { shown, more } = useFirst(names?.groups ?? [], 'names');
  if (names?.total === 0) return null;
  return (
    <section class="card names" aria-labelledby="names">
      <header>
        <h2 id="names">By event name</h2>
        <span class="hint">all events of the user</span>
      </header>
      {names === undefined ? (
        <p class="muted">Counting…</p>
      ) : (
        <ul class="bars">
          {shown.map(({ key, count }) => (
            <Bar
              key={String(key)}
              text={
                <a href={linkTo('explore', alias, { range: 'all', event: String(key), filter })}>
                  {seen(String(key))}
                </a>
              }
              count={count}
              largest={names.groups[0]!.count}
              total={names.total}
            />
          ))}
        </ul>
      )}
      {more}
      {names !== undefined && names.groupsTotal > names.groups.length && (
        <p class="hint">{figure(names.groupsTotal - names.groups.length)} other names are not listed.</p>
      )}
    </section>
  );
}
