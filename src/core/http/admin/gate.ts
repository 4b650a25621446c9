import type { Actor } from '../../access/audit.ts';
import type { Pass } from '../../access/pass.ts';
import { isAlias, type Tenant } from '../../access/tenant.ts';
import { ApiError } from '../../errors.ts';
import type { HttpRequest, TenantStore } from '../../ports.ts';
import type { IssuedPass, Passes } from '../../passes.ts';
import type { Call } from '../operation.ts';
import type { Route } from '../route.ts';

/** Who administers, and what of. */
export interface Visit {
  readonly pass: Pass;
  readonly by: Actor;
  /** The tenant of the path, which the pass is for; undefined where the path has none. */
  readonly tenant: Tenant | undefined;
  /** Judges the pass once more, after a while. Throws ApiError 401. */
  readonly hold: () => Promise<void>;
}

/** The name by which requests say that a page of the dashboard sends them: no page of another origin can. */
const MARK_HEADER = 'x-event-query';
const MARK = 'dashboard';

const BEARER_PATTERN = /^Bearer +(\S+)$/i;
const LOOPBACK_PATTERN = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i;

/** Judges who comes to the Admin API. */
export interface Gate {
  /** Judges the caller of a route: pass, role, tenant, in this order. Throws ApiError 401, 403, 404, 421. */
  enter(call: Call, route: Route): Promise<Visit>;
  /** Judges a request that comes without a session, to have one. Throws ApiError 403, 421. */
  checkOrigin(request: HttpRequest): void;
  /** The secret of the session that a request comes with, which may open nothing. */
  secretOf(request: HttpRequest): string | undefined;
  /** The cookie of a new session, or without one what ends it. */
  cookieOf(request: HttpRequest, issued?: IssuedPass): string;
}

/** Makes the gate over passes and tenants. */
export function createGate(passes: Passes, tenants: Pick<TenantStore, 'findByAlias'>): Gate {
  /**
   * A name that points to this machine may be anybody's, so only the machine's own are answered. A page of
   * another port is of the same site and sends cookies along, hence the other tests.
   */
  function checkOrigin(request: HttpRequest): void {
    const host = checkLoopbackHost(request);
    const site = request.header('sec-fetch-site');
    const origin = request.header('origin');
    const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    if (!isOwn || (site !== undefined && site !== 'same-origin') || request.header(MARK_HEADER) !== MARK) {
      throw new ApiError('crossSite');
    }
  }

  async function findPass(request: HttpRequest): Promise<Pass> {
    checkLoopbackHost(request);
    const bearer = BEARER_PATTERN.exec(request.header('authorization') ?? '')?.[1];
    if (bearer !== undefined) {
      const key = await passes.find('key', bearer);
      if (key === undefined) throw new ApiError('notSignedIn');
      return key;
    }
    checkOrigin(request);
    const cookie = secretOf(request);
    const session = cookie === undefined ? undefined : await passes.find('session', cookie);
    if (session !== undefined) return session;
    // A cookie that opens nothing any more is taken back, so that it is not sent again.
    const headers = cookie === undefined ? {} : { 'Set-Cookie': cookieOf(request) };
    throw new ApiError('notSignedIn', [], { headers });
  }

  function secretOf(request: HttpRequest): string | undefined {
    return readCookie(request.header('cookie') ?? '', cookieName(request));
  }

  function cookieOf(request: HttpRequest, issued?: IssuedPass): string {
    const ends = issued === undefined ? '; Max-Age=0' : '';
    const value = issued?.secret ?? '';
    return `${cookieName(request)}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict${ends}`;
  }

  return {
    checkOrigin,
    secretOf,
    cookieOf,
    enter: async (call, { caller, path }) => {
      const pass = await findPass(call.request);
      if (!mayCome(pass, caller)) throw new ApiError('roleTooLow');
      const hold = () => findPass(call.request).then(() => undefined);
      const by = { who: pass.name, from: call.request.address ?? 'unknown' };
      if (!path.includes('{tenantId}')) return { pass, by, hold, tenant: undefined };
      const tenant = isAlias(call.alias) ? await tenants.findByAlias(call.alias) : undefined;
      // What is not theirs looks like what is not there.
      if (tenant === undefined || !isFor(pass, tenant)) throw new ApiError('tenantNotFound');
      return { pass, by, hold, tenant };
    },
  };
}

/** Whether a pass is for a tenant. */
export function isFor({ tenantIds }: Pick<Pass, 'tenantIds'>, { id }: Pick<Tenant, 'id'>): boolean {
  return tenantIds === null || tenantIds.includes(id);
}

/** Whether a pass is an admin's for all tenants. */
export function isOwner({ role, tenantIds }: Pass): boolean {
  return role === 'admin' && tenantIds === null;
}

function mayCome(pass: Pass, caller: Route['caller']): boolean {
  if (caller === 'viewer') return true;
  return caller === 'admin' ? pass.role === 'admin' : caller === 'owner' && isOwner(pass);
}

/** The host that a request names. Throws ApiError 421 where it is no name of this machine itself. */
export function checkLoopbackHost(request: HttpRequest): string {
  const host = request.header('host') ?? '';
  if (!LOOPBACK_PATTERN.test(host)) throw new ApiError('misdirected');
  return host;
}

/** All ports of a host share their cookies, so the port is in the name. */
function cookieName(request: HttpRequest): string {
  return `__Host-event-query-${LOOPBACK_PATTERN.exec(checkLoopbackHost(request))?.[1] ?? '80'}`;
}

function readCookie(header: string, name: string): string | undefined {
  const pairs = header.split(';').filter((each) => each.trim().startsWith(`${name}=`));
  // Of two of one name nobody knows which counts.
  return pairs.length === 1 ? pairs[0]!.trim().slice(name.length + 1) : undefined;
}
