import { isOpen, LINK_MS, type Pass, type Renewal } from '../access/pass.ts';
import type { AdminStore } from '../admin-store.ts';
import { ApiError, isApiError, unavailable } from '../errors.ts';
import { quote } from '../event/text.ts';
import type { IssuedPass, Passes } from '../passes.ts';
import type { TenantStore } from '../ports.ts';
import type { Logger, Runtime } from '../runtime.ts';
import { isDue, isEnded, refreshTimes, type Identity, type Told } from './identity.ts';
import type { IdentityProvider, Login } from './provider.ts';
import { rightsOf, type RoleRule } from './rights.ts';

/** How people sign in by an identity provider, and what the values of its claim give. */
export interface SignInOptions {
  readonly provider: IdentityProvider;
  readonly roles: readonly RoleRule[];
}

/** Sessions of people whom an identity provider knows. */
export interface Identities {
  /** What people know the provider by. */
  readonly name: string;
  /** Begins a login, which can be finished within ten minutes. Throws `unavailable`. */
  begin(login: Omit<Login, 'expiresAt'>): ReturnType<IdentityProvider['begin']>;
  /**
   * Finishes a login by a session, which takes the place of that of the secret `old`. Throws ApiError
   * `loginLost`, `signInRefused`, `noRole`, `unavailable`.
   */
  finish(back: LoginBack, from: string, old?: string): Promise<IssuedPass & Pick<Login, 'returnTo'>>;
  /**
   * The session as it is now: where its time has come the provider is asked again, by one request of all
   * processes that share the store. Undefined where it has ended. Throws `unavailable`.
   */
  keep(pass: Pass): Promise<Pass | undefined>;
  /** Ends the sessions that a logout token of the provider names. Throws ApiError 400. */
  logOut(token: string, from: string): Promise<void>;
}

/** What a page has when the provider has sent it back. */
export interface LoginBack extends Pick<Login, 'redirectUri'> {
  readonly sealed: string;
  /** The query string that the provider sent. */
  readonly query: string;
}

interface IdentitiesOptions extends SignInOptions {
  readonly passes: Passes;
  readonly admins: AdminStore;
  readonly tenants: Pick<TenantStore, 'findByAlias'>;
  readonly runtime: Pick<Runtime, 'now' | 'sleep'>;
  readonly log: Logger;
}

/** How long one who asks the provider keeps the others from it: longer than an answer may take. */
const LEASE_MS = 30_000;
/** After which time a provider that did not answer is asked again. */
const RETRY_MS = 2_000;
/** How often, and how many times, one looks for what another asks. */
const LOOK_MS = 50;
const LOOKS_MAX = 200;

/** How many values of a claim a refusal names. */
const NAMED_MAX = 20;

/** Makes what signs people in by an identity provider. */
export function createIdentities(options: IdentitiesOptions): Identities {
  const { provider, roles, passes, admins, tenants, runtime, log } = options;
  /** What this process asks now, by the session. */
  const asked = new Map<string, Promise<Pass | undefined>>();
  const rights = ({ values }: Told) => rightsOf(values, roles, (alias) => tenants.findByAlias(alias));

  function change(pass: Pass, renewal: Omit<Renewal, 'identity'>, identity: Omit<Identity, 'version'>) {
    const { version } = pass.identity!;
    return admins.renew(pass.id, version, { ...renewal, identity: { ...identity, version: version + 1 } });
  }

  /** Asks the provider for a session, from which it keeps all others. */
  async function ask(pass: Pass): Promise<Pass | undefined> {
    const identity = pass.identity!;
    const end = async () => {
      await passes.end(pass, { who: pass.name, from: provider.name });
      return undefined;
    };
    try {
      const told = await provider.refresh(identity);
      if (told?.issuer !== identity.issuer || told.subject !== identity.subject) return await end();
      const given = await rights(told);
      if (given === undefined) return await end();
      return await change(pass, { name: told.name, ...given }, toIdentity(told, identity));
    } catch (error) {
      if (!isApiError(error) || error.code !== 'unavailable') throw error;
      log.error({ err: error.cause }, 'the identity provider does not answer');
      const now = runtime.now();
      await change(pass, pass, { ...identity, refreshAt: now + RETRY_MS });
      if (now < identity.holdsUntil) return pass;
      throw unavailable(undefined);
    }
  }

  function toIdentity(told: Told, before?: Identity): Identity {
    const { issuer, subject, lastsMs } = told;
    return {
      ...{ issuer, subject, ...refreshTimes(runtime.now(), lastsMs), version: 1 },
      // What a provider does not say again stays as it was.
      providerSession: told.providerSession ?? before?.providerSession ?? null,
      refreshToken: told.refreshToken ?? before?.refreshToken ?? null,
    };
  }

  async function renew(pass: Pass): Promise<Pass | undefined> {
    let seen = pass;
    for (let looks = 0; ; looks += 1) {
      const now = runtime.now();
      const identity = seen.identity!;
      if (isDue(identity, now)) {
        const leased = await change(seen, seen, { ...identity, refreshAt: now + LEASE_MS });
        if (leased !== undefined) return ask(leased);
      } else if (now < identity.holdsUntil) {
        return seen;
      } else {
        if (looks >= LOOKS_MAX || runtime.sleep === undefined) throw unavailable(undefined);
        await runtime.sleep(LOOK_MS);
      }
      const next = await admins.findByHash(pass.hash);
      if (next === undefined || !isOpen(next, 'session', runtime.now())) return undefined;
      seen = next;
    }
  }

  async function keep(pass: Pass): Promise<Pass | undefined> {
    const { identity, id } = pass;
    if (identity === null) return pass;
    const now = runtime.now();
    const holds = now < identity.holdsUntil;
    if (identity.refreshToken === null) return holds ? pass : undefined;
    if (holds && !isDue(identity, now)) return pass;
    const running = asked.get(id);
    if (running !== undefined) return running;
    const own = renew(pass).finally(() => asked.delete(id));
    asked.set(id, own);
    return own;
  }

  return {
    name: provider.name,
    begin: (login) => provider.begin({ ...login, expiresAt: runtime.now() + LINK_MS }),
    keep,
    finish: async ({ sealed, query, redirectUri }, from, old) => {
      const login = provider.open(sealed);
      if (login?.redirectUri !== redirectUri || runtime.now() >= login.expiresAt) {
        throw new ApiError('loginLost');
      }
      const told = await provider.finish(sealed, query);
      const given = await rights(told);
      if (given === undefined) {
        const values = told.values.slice(0, NAMED_MAX).map((value) => quote(value));
        throw new ApiError('noRole', [provider.claim, values.join(', ')]);
      }
      const holder = { name: told.name, ...given, identity: toIdentity(told) };
      return {
        ...(await passes.createSession(holder, { who: told.name, from }, old)),
        returnTo: login.returnTo,
      };
    },
    logOut: async (token, from) => {
      const ended = await provider.readLogout(token);
      const sessions = (await admins.list()).filter((pass) => isEnded(pass, ended));
      await Promise.all(sessions.map((pass) => passes.end(pass, { who: provider.name, from })));
    },
  };
}
