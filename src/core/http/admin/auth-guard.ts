import type { Actor } from '../../access/audit.ts';
import type { AdminCredential } from '../../access/admin-credential.ts';
import { isAlias, type Tenant } from '../../access/tenant.ts';
import { ApiError } from '../../base/errors.ts';
import { toPerson } from '../../access/identity.ts';
import type { HttpRequest } from '../message.ts';
import type { TenantStore } from '../../access/stores.ts';
import type { IssuedCredential, AdminCredentials } from '../../access/admin-credentials.ts';
import type { Call } from '../operation.ts';
import type { Route } from '../route.ts';
import { cookieName, readCookie, toCookie } from './cookies.ts';

/** Who administers, and what of. */
export interface AuthContext {
  readonly credential: AdminCredential;
  readonly by: Actor;
  /** The tenant of the path, which the pass is for; undefined where the path has none. */
  readonly tenant: Tenant | undefined;
  /** Judges the pass once more, after a while. Throws ApiError 401. */
  readonly confirm: () => Promise<void>;
}

/** The name by which requests say that a page of the dashboard sends them: no page of another origin can. */
const MARK_HEADER = 'x-event-query';
const MARK = 'dashboard';

const BEARER_PATTERN = /^Bearer +(\S+)$/i;
const LOOPBACK_PATTERN = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Judges who comes to the Admin API. */
export interface AuthGuard {
  /** Judges the caller of a route: pass, role, tenant, in this order. Throws ApiError 401, 403, 404, 421. */
  authorize(call: Call, route: Route): Promise<AuthContext>;
  /**
   * Judges who leaves: by their pass alone, for whoever may come no more may leave still. Throws ApiError
   * 401, 403, 421.
   */
  leave(request: HttpRequest): Promise<Pick<AuthContext, 'credential' | 'by'>>;
  /** Judges a request that comes without a session, to have one. Throws ApiError 403, 421. */
  checkOrigin(request: HttpRequest): void;
  /** The origin of the pages that a request is meant for. Throws ApiError 421. */
  originOf(request: HttpRequest): string;
  /** Whether a request names this machine itself. */
  isLoopback(request: HttpRequest): boolean;
  /** Throws ApiError 421 where it does not. */
  checkLoopback(request: HttpRequest): void;
  /** The secret of the session that a request comes with, which may open nothing. */
  secretOf(request: HttpRequest): string | undefined;
  /** The cookie of a new session, or without one what ends it. */
  cookieOf(request: HttpRequest, issued?: IssuedCredential): string;
}

interface AuthGuardOptions {
  readonly credentials: AdminCredentials;
  readonly tenants: Pick<TenantStore, 'findByAlias'>;
  /** Asks again who a session is, where its time has come; undefined where it has ended. */
  readonly keep: (session: AdminCredential) => Promise<AdminCredential | undefined>;
  /** The origin by which browsers reach the pages beside the names of this machine. */
  readonly origin: string | undefined;
}

/** Makes the gate over passes and tenants. */
export function createAuthGuard({ credentials, tenants, keep, origin: own }: AuthGuardOptions): AuthGuard {
  /**
   * A name that points to this machine may be anybody's, so only the machine's own are answered. A page of
   * another port is of the same site and sends cookies along, hence the other tests.
   */
  function checkOrigin(request: HttpRequest): void {
    const right = originOf(request);
    const site = request.header('sec-fetch-site');
    const origin = request.header('origin');
    const isSecured = isLoopback(request) && origin === right.replace('http:', 'https:');
    const isOwn = origin === undefined || origin === right || isSecured;
    if (!isOwn || (site !== undefined && site !== 'same-origin') || request.header(MARK_HEADER) !== MARK) {
      throw new ApiError('crossSite');
    }
  }

  const originOf = (request: HttpRequest) => pageOrigin(request, own);

  async function findPass(
    request: HttpRequest,
    ask: AuthGuardOptions['keep'] = keep,
  ): Promise<AdminCredential> {
    originOf(request);
    const bearer = BEARER_PATTERN.exec(request.header('authorization') ?? '')?.[1];
    if (bearer !== undefined) {
      const key = await credentials.find('key', bearer);
      if (key === undefined) throw new ApiError('notSignedIn');
      return key;
    }
    checkOrigin(request);
    const cookie = secretOf(request);
    const session = cookie === undefined ? undefined : await credentials.find('session', cookie);
    const kept = session && (await ask(session));
    if (kept !== undefined) return kept;
    // A cookie that opens nothing any more is taken back, so that it is not sent again.
    const headers = cookie === undefined ? {} : { 'Set-Cookie': cookieOf(request) };
    throw new ApiError('notSignedIn', [], { headers });
  }

  function secretOf(request: HttpRequest): string | undefined {
    return readCookie(request, cookieName(originOf(request)));
  }

  function cookieOf(request: HttpRequest, issued?: IssuedCredential): string {
    const name = cookieName(originOf(request));
    return issued === undefined ? toCookie(name, '', 0) : toCookie(name, issued.secret);
  }

  const byOf = ({ id, name, identity }: AdminCredential, request: HttpRequest): Actor => ({
    ...{ who: name, from: request.address ?? 'unknown' },
    ...{ passId: id, person: toPerson(identity) },
  });

  return {
    checkOrigin,
    originOf,
    isLoopback,
    checkLoopback: (request) => void pageOrigin(request, undefined),
    secretOf,
    cookieOf,
    leave: async (request) => {
      const credential = await findPass(request, (session) => Promise.resolve(session));
      return { credential, by: byOf(credential, request) };
    },
    authorize: async (call, { caller, path }) => {
      const credential = await findPass(call.request);
      if (!mayCome(credential, caller)) throw new ApiError('roleTooLow');
      const confirm = () => findPass(call.request).then(() => undefined);
      const by = byOf(credential, call.request);
      if (!path.includes('{tenantId}')) return { credential, by, confirm, tenant: undefined };
      const tenant = isAlias(call.alias) ? await tenants.findByAlias(call.alias) : undefined;
      // What is not theirs looks like what is not there.
      if (tenant === undefined || !isFor(credential, tenant)) throw new ApiError('tenantNotFound');
      if (caller === 'admin' && !isAdminOf(credential, tenant)) throw new ApiError('roleTooLow');
      return { credential, by, confirm, tenant };
    },
  };
}

/** Whether a pass grants at least read access to a tenant. */
function isFor(credential: AdminCredential, { id }: Pick<Tenant, 'id'>): boolean {
  const ids = tenantIdsOf(credential);
  return ids === null || ids.includes(id);
}

/** The ids of all tenants that a pass is for; null for all that there are. */
export function tenantIdsOf({ tenantIds, viewedIds }: AdminCredential): readonly string[] | null {
  return tenantIds === null || viewedIds === null ? null : [...tenantIds, ...viewedIds];
}

function isAdminOf({ role, tenantIds }: AdminCredential, { id }: Pick<Tenant, 'id'>): boolean {
  return role === 'admin' && (tenantIds === null || tenantIds.includes(id));
}

/** Whether a pass is an admin's for all tenants. */
export function isOwner({ role, tenantIds }: AdminCredential): boolean {
  return role === 'admin' && tenantIds === null;
}

function mayCome(credential: AdminCredential, caller: Route['caller']): boolean {
  if (caller === 'viewer') return true;
  return caller === 'admin' ? credential.role === 'admin' : caller === 'owner' && isOwner(credential);
}

/**
 * The origin of the pages that a request is meant for: `own`, where there is one, or this machine by a name
 * of its own. Throws ApiError 421 for any other.
 */
export function pageOrigin(request: HttpRequest, own?: string): string {
  const host = request.header('host') ?? '';
  if (own?.endsWith(`://${host.toLowerCase()}`) === true) return own;
  if (!isLoopback(request)) throw new ApiError('misdirected');
  return `http://${host}`;
}

function isLoopback(request: HttpRequest): boolean {
  return LOOPBACK_PATTERN.test(request.header('host') ?? '');
}
