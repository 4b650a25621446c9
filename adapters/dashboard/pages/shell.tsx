import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TargetedMouseEvent } from 'preact';
import type { TenantAnswer } from '../../../src/admin-api.ts';
import { BASE } from './server/base.ts';
import { absences, session } from './server/api.ts';
import { ExplorePage } from './explore/page.tsx';
import { loadChoices } from './server/choices.ts';
import { useAnswer } from './server/loading.ts';
import { loadTenants } from './server/tenants.ts';
import { eager, lazy, Loaded, prefetch, prefetchAtRest, type Lazy } from './parts/lazy.tsx';
import { Icon, type IconName } from './parts/icon.tsx';
import { PageSkeleton } from './parts/skeleton.tsx';
import { Empty, Refusal, Reload, SharedRefusals } from './parts/text.tsx';
import { Guarded, Unreadable } from './parts/unreadable.tsx';
import { unsaved } from './parts/unsaved.ts';
import { problemNow } from './address/question.ts';
import { cut } from './address/written.ts';
import { linkTo } from './address/address.ts';
import { linkKept } from './address/kept.ts';
import { aliasNow, kept, pageNow, shownView } from './address/place.ts';
import type { TenantPageProps } from './parts/tenant-page.ts';
import type { PaletteEntry } from './palette.tsx';
import { listenToKeys } from './shortcuts/listen.ts';
import { opened } from './shortcuts/opened.ts';
import { Chooser, Foot, GoTo } from './side.tsx';

/** A page of the menu, either of one tenant or of all tenants. */
type MenuPage = {
  readonly page: IconName;
  readonly title: string;
  /** The heading above it in the menu, of it and the pages that follow. */
  readonly group?: string;
} & ({ readonly ofTenant: Lazy<TenantPageProps> } | { readonly ofAll: Lazy<AllTenantsProps> });

/** The properties of a page of all tenants. */
interface AllTenantsProps {
  readonly tenants: readonly TenantAnswer[];
  /** The tenant that the user saw before. */
  readonly tenant: TenantAnswer | undefined;
  readonly reload: () => void;
}

/** The pages of the menu. Only the code of the explorer is part of the first view. */
const PAGES: readonly MenuPage[] = [
  { page: 'explore', title: 'Explorer', ofTenant: eager(ExplorePage) },
  { page: 'live', title: 'Live', ofTenant: lazy(async () => (await import('./live.tsx')).LivePage) },
  { page: 'users', title: 'Users', ofTenant: lazy(async () => (await import('./users/page.tsx')).UsersPage) },
  {
    page: 'funnel',
    title: 'Funnel',
    ofTenant: lazy(async () => (await import('./funnel/page.tsx')).FunnelPage),
  },
  {
    page: 'retention',
    title: 'Retention',
    ofTenant: lazy(async () => (await import('./retention/page.tsx')).RetentionPage),
  },
  {
    page: 'properties',
    title: 'Properties',
    ofTenant: lazy(async () => (await import('./properties/page.tsx')).PropertiesPage),
  },
  { page: 'usage', title: 'Usage', ofTenant: lazy(async () => (await import('./usage/page.tsx')).UsagePage) },
  {
    page: 'refusals',
    title: 'Refusals',
    ofTenant: lazy(async () => (await import('./refusals.tsx')).RefusalsPage),
  },
  {
    page: 'tenant',
    title: 'General',
    group: 'Settings',
    ofTenant: lazy(async () => (await import('./tenants/general.tsx')).GeneralPage),
  },
  {
    page: 'authentication',
    title: 'Authentication',
    ofTenant: lazy(async () => (await import('./ingestion/page.tsx')).IngestionPage),
  },
  { page: 'keys', title: 'Keys', ofTenant: lazy(async () => (await import('./keys/page.tsx')).KeysPage) },
  {
    page: 'config',
    title: 'Remote config',
    ofTenant: lazy(async () => (await import('./config/page.tsx')).ConfigPage),
  },
  {
    page: 'tenants',
    title: 'Tenants',
    group: 'Server',
    ofAll: lazy(async () => (await import('./tenants/page.tsx')).TenantsPage),
  },
  {
    page: 'people',
    title: 'People',
    ofAll: lazy(async () => (await import('./people/page.tsx')).PeoplePage),
  },
  { page: 'audit', title: 'Audit', ofAll: lazy(async () => (await import('./audit/page.tsx')).AuditPage) },
];

/** The pages to which one of the menu leads, whose link they have marked. */
const BELOW = [
  {
    page: 'person',
    title: 'User',
    menuPage: 'users',
    ofTenant: lazy(async () => (await import('./person/page.tsx')).PersonPage),
  },
] as const;

/** The page of a name; undefined if there is none. */
const find = (name: string) => [...PAGES, ...BELOW].find(({ page }) => page === name);

/** The page of the menu to which a page belongs. */
const menuPageOf = (name: string) => BELOW.find(({ page }) => page === name)?.menuPage ?? name;

const PALETTE = lazy(async () => (await import('./palette.tsx')).Palette);
const UNSAVED = lazy(async () => (await import('./parts/unsaved-notice.tsx')).UnsavedNotice);
const HELP = lazy(async () => (await import('./shortcuts/help.tsx')).ShortcutsHelp);

const codeOf = (each: MenuPage | (typeof BELOW)[number]) => ('ofAll' in each ? each.ofAll : each.ofTenant);

/** Loads the code of the current page, before it is known what the page shows. */
export function prefetchPage(): void {
  const found = find(pageNow.peek());
  if (found !== undefined) void prefetch(codeOf(found));
}

/** A link to each page; the code of the one that is pointed at is loaded ahead. */
function PageLinks({ page, tenant }: { readonly page: string; readonly tenant: TenantAnswer | undefined }) {
  return (
    <ul>
      {PAGES.map((each) => (
        <li key={each.page}>
          {each.group !== undefined && <span class="menu-head">{each.group}</span>}
          <a
            href={linkOf(each, tenant, page)}
            aria-current={each.page === menuPageOf(page) ? 'page' : undefined}
            onPointerEnter={() => void prefetch(codeOf(each))}
            onFocus={() => void prefetch(codeOf(each))}
          >
            <Icon name={each.page} />
            <span class="title">{each.title}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface BrandProps {
  /** The tenant that is shown; undefined on a page of all of them. */
  readonly alias: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** The head of the menu, which stays while the menu is closed on a narrow page. */
function Brand({ alias, isOpen, onToggle }: BrandProps) {
  return (
    <div class="brand">
      <img src={`${BASE}/dashboard/icon.svg`} alt="" width="26" height="26" />
      <span>event-query</span>
      {alias !== undefined && <bdi class="at-tenant">{alias}</bdi>}
      <button type="button" class="ghost toggle" aria-expanded={isOpen} aria-label="Menu" onClick={onToggle}>
        <Icon name={isOpen ? 'close' : 'menu'} />
      </button>
    </div>
  );
}

/** Gives the window a title: the page, the saved view and the tenant that it shows. */
function useTitle(title: string, alias: string | undefined): void {
  const view = shownView.value === undefined ? undefined : cut(shownView.value, TITLE_LENGTH);
  useEffect(() => {
    const parts = [title, view, alias, 'event-query'];
    document.title = parts.filter((each) => each !== undefined).join(' · ');
  }, [title, alias, view]);
}

/** The frame around the pages: the current place and the navigation. */
export function Shell() {
  const page = pageNow.value;
  const alias = aliasNow.value;
  const { value: tenants, error, loading, again } = useAnswer(loadTenants, [absences.value]);
  const known = useAnswer(loadChoices, []);
  const [isOpen, setOpen] = useState(false);
  const failed = error ?? known.error;
  const found = find(page);
  // Pages without a tenant lead back to the tenant that the user saw before.
  const last = useRef('');
  const tenantOf = (wanted: string) => tenants?.find((each) => each.alias === wanted);
  if (tenantOf(alias) !== undefined) last.current = alias;
  const tenant = tenantOf(alias) ?? (alias === '' ? (tenantOf(last.current) ?? tenants?.[0]) : undefined);
  // A tenant that is not known may be a new one. Each is looked for once.
  const lookedFor = useRef('');
  const isUnknown = alias !== '' && tenants !== undefined && tenant === undefined && !loading;
  useLayoutEffect(() => {
    if (!isUnknown || lookedFor.current === alias) return;
    lookedFor.current = alias;
    again();
  }, [isUnknown, alias]);
  // A page of all tenants is of none of them.
  const shownAlias = found !== undefined && 'ofAll' in found ? undefined : tenant?.alias;
  useTitle(found?.title ?? 'Not found', shownAlias);
  useEffect(() => setOpen(false), [page, tenant?.alias]);
  useEffect(listenToKeys, []);
  useEffect(prefetchAtRest, []);

  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <nav class={isOpen ? 'side open' : 'side'} aria-label="Pages">
        <Brand alias={shownAlias} isOpen={isOpen} onToggle={() => setOpen(!isOpen)} />
        <div class="side-body">
          {tenants?.length !== 0 && (
            <Chooser tenants={tenants ?? []} tenant={tenant} linkOf={(chosen) => linkIn(page, chosen)} />
          )}
          <GoTo />
          <PageLinks page={page} tenant={tenant} />
          <Foot />
        </div>
      </nav>
      <main id="main" tabIndex={-1}>
        <Ended />
        <SharedRefusals />
        {unsaved.value.size > 0 && <Loaded of={UNSAVED} props={{}} isDialog />}
        {failed !== undefined && (
          <Refusal
            error={failed}
            again={() => {
              again();
              known.again();
            }}
          />
        )}
        {tenants === undefined ||
        known.value === undefined ||
        (loading && alias !== '' && tenant === undefined) ? (
          failed === undefined && <PageSkeleton title={found?.title ?? '\u00a0'} />
        ) : (
          <Guarded title={found?.title ?? '\u00a0'}>
            <Page page={page} alias={alias} tenant={tenant} tenants={tenants} reload={again} />
          </Guarded>
        )}
      </main>
      {opened.value === 'palette' && <GoToPalette page={page} tenants={tenants ?? []} tenant={tenant} />}
      {opened.value === 'help' && <Loaded of={HELP} props={{}} isDialog />}
    </div>
  );
}

/**
 * The address of a page, with the question that it showed before. The link of the page that is shown leads to
 * its first view instead.
 */
function linkOf({ page, ...code }: MenuPage, tenant: TenantAnswer | undefined, now: string): string {
  if ('ofAll' in code) return linkTo(page);
  const alias = tenant?.alias ?? '';
  return page === now ? linkTo(page, alias) : linkKept(kept.value, page, alias);
}

/** The address of a tenant: the current page, if it is one of a tenant, or else the explorer. */
const linkIn = (page: string, alias: string) =>
  linkTo(
    PAGES.some((each) => each.page === menuPageOf(page) && 'ofTenant' in each) ? menuPageOf(page) : 'explore',
    alias,
  );

/** The palette of all pages, of all other tenants, and of the views and users of this one. */
function GoToPalette({ page, tenants, tenant }: Omit<AllTenantsProps, 'reload'> & { readonly page: string }) {
  const entries = useMemo<readonly PaletteEntry[]>(
    () => [
      ...PAGES.map((each) => ({
        kind: 'Page' as const,
        text: each.title,
        note: 'ofTenant' in each ? (tenant?.alias ?? '') : '',
        href: linkOf(each, tenant, page),
      })),
      ...tenants
        .filter(({ alias }) => alias !== tenant?.alias)
        .map(({ alias, name }) => ({
          kind: 'Tenant' as const,
          text: alias,
          note: name === alias ? '' : name,
          href: linkIn(page, alias),
        })),
    ],
    [page, tenants, tenant, kept.value],
  );
  return <Loaded of={PALETTE} props={{ entries, alias: tenant?.alias ?? '' }} isDialog />;
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

/** How many characters of a name are part of the title of the window. */
const TITLE_LENGTH = 60;

/** The longest alias that a tenant can have. */
const ALIAS_LENGTH_MAX = 63;

interface PageProps extends AllTenantsProps {
  readonly page: string;
  readonly alias: string;
}

function Page({ page, alias, tenant, tenants, reload }: PageProps) {
  const found = find(page);
  if (found === undefined)
    return (
      <Empty isPage title="There is no such page">
        Choose one in the menu, or <a href={linkTo('explore')}>go to the explorer.</a>
      </Empty>
    );
  const { title } = found;
  const problem = problemNow.value;
  if (problem !== undefined) return <Unreadable title={title} problem={problem} />;
  if ('ofAll' in found) return <Loaded of={found.ofAll} title={title} props={{ tenants, tenant, reload }} />;
  if (tenants.length === 0) {
    return (
      <Empty isPage title="There is no tenant yet">
        A tenant holds events, keys and limits. <a href={linkTo('tenants')}>Create the first one.</a>
      </Empty>
    );
  }
  if (tenant === undefined) {
    return (
      <Empty isPage title={`You have no access to a tenant “${cut(alias, ALIAS_LENGTH_MAX)}”`}>
        <a href={linkTo('tenants')}>Show your tenants.</a>
      </Empty>
    );
  }
  // The key resets the page's state, such as an open dialog, when the tenant changes.
  return <Loaded key={tenant.id} of={found.ofTenant} title={title} props={{ tenant, reload }} />;
}
