import type { ConfigEntry, ToldRefusal } from '../../../../src/store-kit.ts';
import type { KeyAnswer, TenantAnswer } from '../../../../src/admin-api.ts';
import { linkTo } from '../address/address.ts';
import { Copy } from '../parts/copy.tsx';
import { figure } from '../parts/figure.ts';
import type { IconName } from '../parts/icon.tsx';
import { inZone } from '../parts/list.tsx';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { PageHead, Time } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { mayChange } from '../server/roles.ts';
import { EraseSection } from './erase.tsx';
import { EventCount, LastEvent } from './facts.tsx';
import { IngestionForm, NameForm, PlanForm } from './forms.tsx';
import { RetentionForm } from './retention.tsx';

/** What an owner settles of one tenant: plan, limits, retention, erasure; and where the rest stands. */
export function GeneralPage({ tenant, reload }: TenantPageProps) {
  const { alias } = tenant;
  const settings = { tenant, reload };
  return (
    <>
      <PageHead title="General" lead="Settings: the plan of this tenant, its limits, and what it keeps." />
      <Facts tenant={tenant} />
      <div class="columns wide-left">
        <div class="stacked">
          <PlanForm {...settings} />
          <IngestionForm {...settings} />
          <RetentionForm {...settings} />
          {mayChange(alias) && <EraseSection alias={alias} />}
        </div>
        <div class="stacked">
          <NameForm {...settings} />
          <Elsewhere tenant={tenant} />
        </div>
      </div>
    </>
  );
}

function Facts({ tenant: { id, alias, createdAt } }: { readonly tenant: TenantAnswer }) {
  return (
    <dl class="facts card">
      <div>
        <dt>Alias</dt>
        <dd>
          {alias} <Copy text={alias} label={`Copy ${alias}`} isBrief />
        </dd>
      </div>
      <div>
        <dt>Events</dt>
        <dd>
          <EventCount alias={alias} />
        </dd>
      </div>
      <div>
        <dt>{inZone('Last event')}</dt>
        <dd>
          <LastEvent alias={alias} />
        </dd>
      </div>
      <div>
        <dt>{inZone('Created')}</dt>
        <dd>
          <Time ms={createdAt} />
        </dd>
      </div>
      <div>
        <dt>
          Id <span class="muted">(internal)</span>
        </dt>
        <dd class="id">
          <code>{id}</code>
        </dd>
      </div>
    </dl>
  );
}

/** The settings and figures of a tenant that have pages of their own, with what they say in short. */
function Elsewhere({ tenant: { alias, authStrategy } }: { readonly tenant: TenantAnswer }) {
  const load = <T,>(path: string, signal: AbortSignal) => ask<T>(`${path}/${alias}`, undefined, { signal });
  const keys = useAnswer((signal) => load<readonly KeyAnswer[]>('keys', signal), [alias]).value?.filter(
    ({ state }) => state === 'active',
  ).length;
  const entries = useAnswer((signal) => load<readonly ConfigEntry[]>('config', signal), [alias]).value
    ?.length;
  const refusals = useAnswer((signal) => load<readonly ToldRefusal[]>('refusals', signal), [alias]).value;
  const rows: readonly (readonly [page: IconName, title: string, short: string | undefined])[] = [
    ['authentication', 'Authentication', `Strategy ${authStrategy}`],
    ['keys', 'Keys', keys === undefined ? undefined : `${figure(keys)} active`],
    [
      'config',
      'Remote config',
      entries === undefined ? undefined : `${figure(entries)} ${entries === 1 ? 'value' : 'values'}`,
    ],
    ['usage', 'Usage', 'Requests and events'],
    ['refusals', 'Refusals', refusals === undefined ? undefined : wordsOf(refusals)],
    ['audit', 'Audit', 'Who changed what'],
  ];
  const addressOf = (page: IconName) =>
    page === 'audit' ? linkTo(page, '', { tenant: alias }) : linkTo(page, alias);
  return (
    <section class="card settings" aria-labelledby="elsewhere">
      <h2 id="elsewhere">More of this tenant</h2>
      <ul class="elsewhere">
        {rows.map(([page, title, short]) => (
          <li key={page}>
            <a href={addressOf(page)}>{title}</a> <span class="muted">{short ?? '…'}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How much was refused. */
function wordsOf(refusals: readonly ToldRefusal[]): string {
  const sum = (what: ToldRefusal['of']) =>
    refusals.reduce((total, { of, count }) => total + (of === what ? count : 0), 0);
  const parts = (['events', 'requests'] as const)
    .map((what) => [what, sum(what)] as const)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${figure(count)} ${count === 1 ? what.slice(0, -1) : what}`);
  return parts.length === 0 ? 'None' : parts.join(', ');
}
