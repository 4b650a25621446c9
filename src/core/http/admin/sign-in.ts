import { LINK_MS } from '../../access/admin-credential.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Identities } from '../../identity/identities.ts';
import type { IssuedCredential, AdminCredentials } from '../../access/admin-credentials.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Call } from '../operation.ts';
import type { AdminAnswer, AdminRowOf, BodyOf } from '../schemas/admin-route-schema.ts';
import { cookieName, readCookie, toCookie } from './cookies.ts';
import type { AuthGuard } from './auth-guard.ts';
import { toReturnPath } from './return-path.ts';
import { createSessionView } from './session-view.ts';

interface ArrivalOptions {
  readonly guard: AuthGuard;
  readonly credentials: AdminCredentials;
  /** Undefined where sign-in links are the only way. */
  readonly identities: Identities | undefined;
  readonly toView: ReturnType<typeof createSessionView>;
  readonly runtime: Pick<Runtime, 'randomBytes'>;
}

/** The routes that begin or end a session, or tell how to begin one. */
export type ArrivalName = 'waysToSignIn' | 'beginSignIn' | 'signIn' | 'signOut' | 'backChannelLogout';

/** Their functions. Each says who may ask before it reads the body. Throws ApiError. */
type ArrivalFunctions = {
  readonly [Name in ArrivalName]: (
    call: Call,
    read: () => Promise<BodyOf<AdminRowOf<Name>>>,
  ) => Promise<AdminAnswer<Name>>;
};

/** A new session. After a login, also the page to open, and `spent`: a cookie that deletes the login's. */
type Arrived = IssuedCredential & { readonly returnTo?: string; readonly spent?: string };

/** How many logins a browser may have open: enough for several tabs, and all their cookies fit a request. */
const SLOTS = 4;
/** Finds the slot of the login that a callback belongs to. A slot without a login has no cookie. */
const STATE_PATTERN = /(?:^|[?&])state=(\d)-/;
/** The form field of a provider's logout request. A token has no character that a form would escape. */
const LOGOUT_FIELD = 'logout_token=';
/** How many bytes a provider's logout request may have. */
const LOGOUT_BYTES_MAX = 65_536;

/** Makes the functions that sign in, by a link or by an identity provider, and sign out. */
export function createArrivals({
  guard,
  credentials,
  identities,
  toView,
  runtime,
}: ArrivalOptions): ArrivalFunctions {
  const slotCookie = (pages: string, slot: number) => cookieName(pages, `-login-${slot}`);

  /** The configured identity provider. Throws ApiError 404 where there is none. */
  function provider(): Identities {
    if (identities === undefined) throw new ApiError('routeNotFound');
    return identities;
  }

  /** Picks a free slot at random, or any slot where none is free: two tabs may begin at the same time. */
  function freeSlot(call: Call, pages: string): number {
    const all = Array.from({ length: SLOTS }, (_, slot) => slot);
    const free = all.filter((slot) => readCookie(call.request, slotCookie(pages, slot)) === undefined);
    const slots = free.length === 0 ? all : free;
    return slots[runtime.randomBytes(1)[0]! % slots.length]!;
  }

  async function spendLink(call: Call, code: string | undefined) {
    if (code === undefined) throw invalid('code', 'takes the code of a sign-in link');
    // A link that was made for nobody in particular is for the machine that runs the server. It works at
    // loopback names only, even where the server has a public origin.
    const link = await credentials.find('link', code);
    if (link !== undefined && !link.invitation) guard.checkLoopback(call.request);
    return credentials.spend(code, call.request.address ?? 'unknown', guard.secretOf(call.request));
  }

  async function finishLogin(call: Call, query: string) {
    const found = provider();
    const pages = guard.pagesUrlOf(call.request);
    const slot = STATE_PATTERN.exec(query)?.[1];
    const sealed = slot && readCookie(call.request, slotCookie(pages, Number(slot)));
    if (!sealed) throw new ApiError('loginLost');
    const back = { sealed, query, redirectUri: toRedirectUri(pages) };
    const issued = await found.finish(back, call.request.address ?? 'unknown', guard.secretOf(call.request));
    return { ...issued, spent: toCookie(slotCookie(pages, Number(slot)), '', 0) };
  }

  return {
    waysToSignIn: async (call, read) => {
      guard.checkOrigin(call.request);
      await read();
      return { link: guard.isLoopback(call.request), provider: identities?.name ?? null };
    },
    beginSignIn: async (call, read) => {
      guard.checkOrigin(call.request);
      const { returnTo, anotherAccount: another = false } = await read();
      const pages = guard.pagesUrlOf(call.request);
      const slot = freeSlot(call, pages);
      const login = { redirectUri: toRedirectUri(pages), returnTo: toReturnPath(returnTo), slot };
      const { url, sealed } = await provider().begin(login, { another });
      call.headers['Set-Cookie'] = toCookie(slotCookie(pages, slot), sealed, LINK_MS / 1000);
      return { url };
    },
    signIn: async (call, read) => {
      guard.checkOrigin(call.request);
      const { callback, code } = await read();
      const arrived: Arrived =
        callback === undefined ? await spendLink(call, code) : await finishLogin(call, callback);
      const { credential, returnTo, spent } = arrived;
      const own = guard.cookieOf(call.request, arrived);
      call.headers['Set-Cookie'] = spent === undefined ? own : [own, spent];
      return { ...(await toView(credential)), returnTo };
    },
    signOut: async (call, read) => {
      const { credential, by } = await guard.leave(call.request);
      // A sign-out ends sessions only. A key for programs is revoked where it was created.
      if (credential.kind !== 'session')
        throw invalid('session', 'there is none: this came with a key for programs');
      await read();
      await credentials.end(credential, by);
      call.headers['Set-Cookie'] = guard.cookieOf(call.request);
      const back = toRedirectUri(guard.pagesUrlOf(call.request));
      return { url: await identities?.signOutUrl(credential, back) };
    },
    backChannelLogout: async (call) => {
      guard.pagesUrlOf(call.request);
      const found = provider();
      const text = await call.request.text(LOGOUT_BYTES_MAX, 'sign-in');
      const field = text.split('&').find((each) => each.startsWith(LOGOUT_FIELD));
      const token = field?.slice(LOGOUT_FIELD.length) ?? '';
      if (!/^[\w.-]+$/.test(token)) throw invalid('logout_token', 'takes a logout token of the provider');
      await found.logOut(token, call.request.address ?? 'unknown');
      return {};
    },
  };
}

/** The page to which a provider sends browsers back after login and logout. It has to be registered there. */
function toRedirectUri(pages: string): string {
  return `${pages}/sign-in`;
}
