import { LINK_MS, type AdminCredential } from '../access/admin-credential.ts';
import type { CredentialRecords } from '../access/credential-records.ts';
import { ApiError, invalid } from '../base/errors.ts';
import { quote } from '../event/text.ts';
import type { IssuedCredential, AdminCredentials } from '../access/admin-credentials.ts';
import type { TenantRecords } from '../access/tenant-records.ts';
import type { Logger, Runtime } from '../base/runtime.ts';
import { isEnded, toIdentity, toPerson, type UserClaims } from '../access/identity.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { createSessionRefresher } from './session-refresher.ts';
import type { AccountChoice, IdentityProvider, Login } from './provider.ts';
import { rightsOf, type RoleRule } from './rights.ts';

/** How people sign in through an identity provider, and which rights the values of its claim grant. */
export interface SignInOptions {
  /** The identity provider. */
  readonly provider: IdentityProvider;
  /**
   * Maps values of the claim to rights: all matching rules apply together, and without a match sign-in fails.
   */
  readonly roles: readonly RoleRule[];
}

/** Signs people in through an identity provider, and keeps their sessions up to date. */
export interface Identities {
  /** The provider's name for people. */
  readonly name: string;
  /** Begins a login, which must be finished within ten minutes. Throws `unavailable`. */
  begin(
    login: Omit<Login, 'id' | 'expiresAt'>,
    choice?: AccountChoice,
  ): ReturnType<IdentityProvider['begin']>;
  /**
   * Finishes a login, once, and returns a session, which replaces the one with the secret `old`. Throws
   * ApiError `loginLost`, `signInBusy`, `signInRefused`, `noRole`, `unavailable`.
   */
  finish(back: LoginBack, from: string, old?: string): Promise<IssuedCredential & Pick<Login, 'returnTo'>>;
  /**
   * The session in its current state. If a refresh is due, the provider is asked, by one request of all
   * processes that share the store. Undefined if the session has ended. Throws `unavailable`.
   */
  keep(credential: AdminCredential): Promise<AdminCredential | undefined>;
  /**
   * The URL where the browser ends its session at the provider too, which then redirects to `back`; undefined
   * if it cannot be determined soon.
   */
  signOutUrl(credential: AdminCredential, back: string): Promise<string | undefined>;
  /** Ends the sessions that a logout token of the provider names, once. Throws ApiError 400. */
  logOut(token: string, from: string): Promise<void>;
}

/** The request with which the provider sends a browser back to a page. */
export interface LoginBack extends Pick<Login, 'redirectUri'> {
  readonly sealed: string;
  /** The query string that the provider sent. */
  readonly query: string;
}

interface IdentitiesOptions extends SignInOptions {
  readonly credentials: AdminCredentials;
  readonly admins: CredentialRecords;
  readonly tenants: Pick<TenantRecords, 'findByAlias'>;
  readonly runtime: Pick<Runtime, 'now' | 'sleep' | 'uuid' | 'sha256'>;
  readonly log: Logger;
}

/** How long a sign-out waits for a provider that does not answer. */
const SIGN_OUT_MS = 1_000;
/** The maximum number of claim values that a refusal names. */
const NAMED_MAX = 20;

/** Creates the sign-in service for an identity provider. */
export function createIdentities(options: IdentitiesOptions): Identities {
  const { provider, roles, credentials, admins, tenants, runtime } = options;
  const rights = ({ values }: UserClaims) => rightsOf(values, roles, (alias) => tenants.findByAlias(alias));
  const pass = createLoginThrottle(runtime);

  return {
    name: provider.name,
    begin: (login, choice) =>
      provider.begin({ ...login, id: runtime.uuid(), expiresAt: runtime.now() + LINK_MS }, choice),
    keep: createSessionRefresher({ ...options, rights }),
    finish: async ({ sealed, query, redirectUri }, from, old) => {
      const login = provider.open(sealed, query);
      if (login?.redirectUri !== redirectUri || runtime.now() >= login.expiresAt) {
        throw new ApiError('loginLost');
      }
      const claims = await pass(login, from, () => provider.finish(sealed, query));
      const given = await rights(claims);
      if (given === undefined) {
        const values = claims.values.slice(0, NAMED_MAX).map((value) => quote(value));
        throw new ApiError('noRole', [provider.claim, values.join(', ')]);
      }
      const holder = { name: claims.name, ...given, identity: toIdentity(claims, runtime.now()) };
      return {
        ...(await credentials.createSession(
          holder,
          { who: claims.name, from, person: toPerson(claims) },
          old,
        )),
        returnTo: login.returnTo,
      };
    },
    // The sign-out here is complete whatever the provider answers, and even if it does not answer.
    signOutUrl: async ({ identity }, back) => {
      if (identity === null) return undefined;
      const url = provider.signOutUrl(identity, back).catch(() => undefined);
      return Promise.race([url, runtime.sleep(SIGN_OUT_MS).then(() => undefined)]);
    },
    logOut: async (token, from) => {
      const ended = await provider.readLogout(token);
      const once = await runtime.sha256(`logout ${ended.issuer} ${ended.id}`);
      if (!(await admins.spend(once, ended.until, runtime.now())))
        throw invalid('logout_token', 'was used already');
      const sessions = (await admins.list()).filter((session) => isEnded(session, ended));
      await Promise.all(sessions.map((session) => credentials.end(session, { who: provider.name, from })));
    },
  };
}
