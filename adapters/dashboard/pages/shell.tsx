import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentType, TargetedMouseEvent } from 'preact';
import type { TenantAnswer } from '../../../src/transport-kit.ts';
import { absences, messageOf, session, signOut, who } from './server/api.ts';
import { AuditPage } from './audit.tsx';
import { ConfigPage } from './config/page.tsx';
import { ExplorePage } from './explore/page.tsx';
import { IngestionPage } from './ingestion/page.tsx';
import { KeysPage } from './keys/page.tsx';
import { LivePage } from './live.tsx';
import { loadChoices } from './server/choices.ts';
import { useAnswer } from './server/loading.ts';
import { loadTenants } from './server/tenants.ts';
import { Combobox } from './parts/combobox.tsx';
import { Field } from './parts/field.tsx';
import { Icon, type IconName } from './parts/icon.tsx';
import { Empty, Notice, Refusal, Reload } from './parts/text.tsx';
import { aliasNow, linkTo, pageNow } from './address/place.ts';
import type { TenantPageProps } from './parts/tenant-page.ts';
import { TenantsPage } from './tenants/page.tsx';
import { PersonPage } from './person/page.tsx';
import { RefusalsPage } from './refusals.tsx';
import { PeoplePage } from './people/page.tsx';
import { setTheme, theme, THEMES } from './theme.ts';
import { UsagePage } from './usage.tsx';

/** A page of the menu, either of one tenant or of all tenants. */
type MenuPage = {
  readonly page: IconName;
  readonly title: string;
  /** The heading above it in the menu, of it and the pages that follow. */
  readonly group?: string;
} & (
  { readonly ofTenant: ComponentType<TenantPageProps> } | { readonly ofAll: ComponentType<AllTenantsProps> }
);

/** The properties of a page of all tenants. */
interface AllTenantsProps {
  readonly tenants: readonly TenantAnswer[];
  /** The tenant that the user saw before. */
  readonly tenant: TenantAnswer | undefined;
  readonly reload: () => void;
}

const PAGES: readonly MenuPage[] = [
  { page: 'explore', title: 'Explorer', ofTenant: ExplorePage },
  { page: 'live', title: 'Live', ofTenant: LivePage },
  { page: 'person', title: 'Users', ofTenant: PersonPage },
  { page: 'usage', title: 'Usage', ofTenant: UsagePage },
  { page: 'refusals', title: 'Refusals', ofTenant: RefusalsPage },
  { page: 'authentication', title: 'Authentication', group: 'Settings', ofTenant: IngestionPage },
  { page: 'keys', title: 'Keys', ofTenant: KeysPage },
  { page: 'config', title: 'Remote config', ofTenant: ConfigPage },
  { page: 'tenants', title: 'Tenants', group: 'Server', ofAll: TenantsPage },
  { page: 'people', title: 'People', ofAll: PeoplePage },
  { page: 'audit', title: 'Audit', ofAll: AuditPage },
];

/** The frame around the pages: the current place and the navigation. */
export function Shell() {
  const page = pageNow.value;
  const alias = aliasNow.value;
  const { value: tenants, error, again } = useAnswer(loadTenants, [absences.value]);
  const known = useAnswer(loadChoices, []);
  const [isOpen, setOpen] = useState(false);
  const failed = error ?? known.error;
  const found = PAGES.find((each) => each.page === page);
  // Pages without a tenant lead back to the tenant that the user saw before.
  const last = useRef('');
  const find = (wanted: string) => tenants?.find((each) => each.alias === wanted);
  if (find(alias) !== undefined) last.current = alias;
  const tenant = find(alias) ?? (alias === '' ? (find(last.current) ?? tenants?.[0]) : undefined);
  useEffect(() => {
    document.title = [found?.title ?? 'Not found', tenant?.alias, 'event-query']
      .filter((each) => each !== undefined)
      .join(' · ');
    setOpen(false);
  }, [page, tenant?.alias]);

  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <nav class={isOpen ? 'side open' : 'side'} aria-label="Pages">
        <div class="brand">
          <img src="/dashboard/icon.svg" alt="" width="26" height="26" />
          <span>event-query</span>
          <button
            type="button"
            class="ghost toggle"
            aria-expanded={isOpen}
            aria-label="Menu"
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
          </button>
        </div>
        <div class="side-body">
          {tenants?.length !== 0 && <Chooser tenants={tenants ?? []} tenant={tenant} page={page} />}
          <ul>
            {PAGES.map((each) => (
              <li key={each.page}>
                {each.group !== undefined && <span class="menu-head">{each.group}</span>}
                <a
                  href={linkTo(each.page, 'ofAll' in each ? '' : (tenant?.alias ?? ''))}
                  aria-current={each.page === page ? 'page' : undefined}
                >
                  <Icon name={each.page} />
                  {each.title}
                </a>
              </li>
            ))}
          </ul>
          <Foot />
        </div>
      </nav>
      <main id="main" tabIndex={-1}>
        <Ended />
        {failed !== undefined && (
          <Refusal
            error={failed}
            again={() => {
              again();
              known.again();
            }}
          />
        )}
        {tenants !== undefined && known.value !== undefined && (
          <Page page={page} alias={alias} tenant={tenant} tenants={tenants} reload={again} />
        )}
      </main>
    </div>
  );
}

/** Shows that the session has ended. The content of the page and the address stay. */
function Ended() {
  if (session.value !== 'ended') return null;
  return (
    <div class="ended" role="alert">
      <p>Your session has ended. This page may be out of date.</p>
      <Reload />
    </div>
  );
}

function skip(event: TargetedMouseEvent<HTMLAnchorElement>): void {
  // The address holds the current place, so the link must not set it to `#main`.
  event.preventDefault();
  document.getElementById('main')?.focus();
}

interface PageProps extends AllTenantsProps {
  readonly page: string;
  readonly alias: string;
}

function Page({ page, alias, tenant, tenants, reload }: PageProps) {
  const found = PAGES.find((each) => each.page === page);
  if (found === undefined)
    return (
      <Empty isPage title="There is no such page">
        Choose one in the menu, or <a href={linkTo('explore')}>go to the explorer.</a>
      </Empty>
    );
  if ('ofAll' in found) return <found.ofAll tenants={tenants} tenant={tenant} reload={reload} />;
  if (tenants.length === 0) {
    return (
      <Empty isPage title="There is no tenant yet">
        A tenant holds events, keys and limits. <a href={linkTo('tenants')}>Create the first one.</a>
      </Empty>
    );
  }
  if (tenant === undefined) {
    return (
      <Empty isPage title={`You have no access to a tenant “${alias}”`}>
        <a href={linkTo('tenants')}>Show your tenants.</a>
      </Empty>
    );
  }
  // The key resets the page's state, such as an open dialog, when the tenant changes.
  return <found.ofTenant key={tenant.id} tenant={tenant} reload={reload} />;
}

function Chooser({
  tenants,
  tenant,
  page,
}: {
  readonly tenants: readonly TenantAnswer[];
  readonly tenant: TenantAnswer | undefined;
  readonly page: string;
}) {
  const ofTenant = PAGES.some((each) => each.page === page && 'ofTenant' in each);
  return (
    <div class="chooser">
      <Field label="Tenant">
        {(ids) => (
          <Combobox
            {...ids}
            placeholder={tenants.length === 0 ? '…' : 'Choose'}
            value={tenant?.alias ?? ''}
            options={tenants.map(({ alias }) => ({ value: alias }))}
            optionWords="tenants"
            onCommit={(alias) => {
              location.hash = linkTo(ofTenant ? page : 'explore', alias);
            }}
          />
        )}
      </Field>
    </div>
  );
}

function Foot() {
  const [error, setError] = useState<string>();
  return (
    <div class="foot">
      <fieldset class="themes">
        <legend>Theme</legend>
        {THEMES.map((each) => (
          <label key={each}>
            <input type="radio" name="theme" checked={theme.value === each} onChange={() => setTheme(each)} />
            <span>{each}</span>
          </label>
        ))}
      </fieldset>
      <p>
        <strong>{who.value?.name}</strong> <span class="muted">{who.value?.role}</span>
      </p>
      <button
        type="button"
        class="small"
        onClick={() => void signOut().catch((failed: unknown) => setError(messageOf(failed)))}
      >
        Sign out
      </button>
      {error !== undefined && <Notice kind="error">{error}</Notice>}
    </div>
  );
}
