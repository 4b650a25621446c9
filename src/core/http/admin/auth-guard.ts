import type { Actor } from '../../access/audit.ts';
import type { AdminCredential } from '../../access/admin-credential.ts';
import { isAdminOf, isFor, isOwner } from '../../access/reach.ts';
import { isAlias, type Tenant } from '../../access/tenant.ts';
import { ApiError } from '../../base/errors.ts';
import { toPerson } from '../../access/identity.ts';
import type { HttpRequest } from '../message.ts';
import type { TenantRecords } from '../../access/tenant-records.ts';
import type { IssuedCredential, AdminCredentials } from '../../access/admin-credentials.ts';
import type { Call } from '../operation.ts';
import type { Route } from '../route.ts';
import { cookieName, readCookie, toCookie } from './cookies.ts';

/** The auth context of a request: its credential, and the tenant that it acts on. */
export interface AuthContext {
  readonly credential: AdminCredential;
  readonly by: Actor;
  /** The tenant of the path, to which the credential grants access; undefined where the path has none. */
  readonly tenant: Tenant | undefined;
  /** Authenticates the request again later, since its credential may have ended. Throws ApiError 401. */
  readonly confirm: () => Promise<void>;
}

/** The header that marks requests of the dashboard's own pages. A page of another origin cannot send it. */
const MARK_HEADER = 'x-event-query';
const MARK = 'dashboard';

/**
 * The header in which the pages name the session that they show. A sign-in in another tab gives the browser
 * another cookie, and nobody acts under the name of somebody else without seeing it.
 */
const SESSION_HEADER = 'x-event-query-session';

const BEARER_PATTERN = /^Bearer +(\S+)$/i;
const LOOPBACK_PATTERN = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Authenticates and authorizes requests to the Admin API. */
export interface AuthGuard {
  /** Checks the credential, its role and the tenant, in this order. Throws ApiError 401, 403, 404, 421. */
  authorize(call: Call, route: Route): Promise<AuthContext>;
  /**
   * Authenticates a sign-out by its credential alone: people may still sign out when the identity provider no
   * longer lets them in. Throws ApiError 401, 403, 421.
   */
  leave(request: HttpRequest): Promise<Pick<AuthContext, 'credential' | 'by'>>;
  /** Checks that the dashboard sent a request, with or without a session. Throws ApiError 403, 421. */
  checkOrigin(request: HttpRequest): void;
  /** The origin of the pages to which a request was sent. Throws ApiError 421. */
  pagesUrlOf(request: HttpRequest): string;
  /** Whether the `Host` of a request is a loopback name. */
  isLoopback(request: HttpRequest): boolean;
  /** Throws ApiError 421 unless the `Host` of a request is a loopback name. */
  checkLoopback(request: HttpRequest): void;
  /** The session secret in the cookie of a request. It is not checked. */
  secretOf(request: HttpRequest): string | undefined;
  /** The cookie of a new session; without `issued`, a cookie that deletes the session's. */
  cookieOf(request: HttpRequest, issued?: IssuedCredential): string;
}

interface AuthGuardOptions {
  readonly credentials: AdminCredentials;
  readonly tenants: Pick<TenantRecords, 'findByAlias'>;
  /** Refreshes a session at the identity provider when it is due; undefined when the session has ended. */
  readonly keep: (session: AdminCredential) => Promise<AdminCredential | undefined>;
  /** The origin at which browsers reach the pages, besides loopback names. */
  readonly origin: string | undefined;
}

/** Makes the auth guard of the Admin API. */
export function createAuthGuard({ credentials, tenants, keep, origin: own }: AuthGuardOptions): AuthGuard {
  /**
   * Anyone can register a DNS name that points to this machine, so only loopback names and the configured
   * origin are accepted. A page on another port belongs to the same site and sends cookies along, so this
   * also checks the other headers.
   */
  function checkOrigin(request: HttpRequest): void {
    const right = originIn(pagesUrlOf(request));
    const site = request.header('sec-fetch-site');
    const origin = request.header('origin');
    const isSecured = isLoopback(request) && origin === right.replace('http:', 'https:');
    const isOwn = origin === undefined || origin === right || isSecured;
    if (!isOwn || (site !== undefined && site !== 'same-origin') || request.header(MARK_HEADER) !== MARK) {
      throw new ApiError('crossSite');
    }
  }

  const pagesUrlOf = (request: HttpRequest) => pagesUrl(request, own);

  async function findPass(
    request: HttpRequest,
    ask: AuthGuardOptions['keep'] = keep,
  ): Promise<AdminCredential> {
    pagesUrlOf(request);
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
    if (kept !== undefined) {
      const shown = request.header(SESSION_HEADER);
      if (shown !== undefined && shown !== kept.id) throw new ApiError('otherSession');
      return kept;
    }
    // The answer deletes a cookie that is no longer valid, so that the browser stops sending it.
    const headers = cookie === undefined ? {} : { 'Set-Cookie': cookieOf(request) };
    throw new ApiError('notSignedIn', [], { headers });
  }

  function secretOf(request: HttpRequest): string | undefined {
    return readCookie(request, cookieName(pagesUrlOf(request)));
  }

  function cookieOf(request: HttpRequest, issued?: IssuedCredential): string {
    const name = cookieName(pagesUrlOf(request));
    return issued === undefined ? toCookie(name, '', 0) : toCookie(name, issued.secret);
  }

  const byOf = ({ id, name, identity }: AdminCredential, request: HttpRequest): Actor => ({
    ...{ who: name, from: request.address ?? 'unknown' },
    ...{ credentialId: id, person: toPerson(identity) },
  });

  return {
    checkOrigin,
    pagesUrlOf,
    isLoopback,
    checkLoopback: (request) => void pagesUrl(request, undefined),
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
      // A tenant out of reach looks like one that does not exist.
      if (tenant === undefined || !isFor(credential, tenant)) throw new ApiError('tenantNotFound');
      if (caller === 'admin' && !isAdminOf(credential, tenant)) throw new ApiError('roleTooLow');
      return { credential, by, confirm, tenant };
    },
  };
}

function mayCome(credential: AdminCredential, caller: Route['caller']): boolean {
  if (caller === 'viewer') return true;
  return caller === 'admin' ? credential.role === 'admin' : caller === 'owner' && isOwner(credential);
}

/** The origin of a URL. */
const originIn = (url: string): string => /^https?:\/\/[^/]*/.exec(url)![0];

/**
 * The URL below which the pages are to which a request was sent: `own`, where it is given, or a loopback
 * origin. Throws ApiError 421 for any other. Below a path, a proxy leaves the path out of its requests.
 */
export function pagesUrl(request: HttpRequest, own?: string): string {
  const host = request.header('host') ?? '';
  // A proxy may name the port that every client leaves out.
  const usual = own?.startsWith('https:') === true ? ':443' : ':80';
  const named = host.endsWith(usual) ? host.slice(0, -usual.length) : host;
  if (own !== undefined && originIn(own).endsWith(`://${named.toLowerCase()}`)) return own;
  if (!isLoopback(request)) throw new ApiError('misdirected');
  return `http://${host}`;
}

function isLoopback(request: HttpRequest): boolean {
  return LOOPBACK_PATTERN.test(request.header('host') ?? '');
}
