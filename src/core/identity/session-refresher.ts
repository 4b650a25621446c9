import { isOpen, type AdminCredential, type Renewal } from '../access/admin-credential.ts';
import type { CredentialRecords } from '../access/credential-records.ts';
import { isApiError, unavailable, type ApiError } from '../base/errors.ts';
import type { AdminCredentials } from '../access/admin-credentials.ts';
import type { Logger, Runtime } from '../base/runtime.ts';
import { isDue, toIdentity, toPerson, type Identity, type UserClaims } from '../access/identity.ts';
import type { IdentityProvider } from './provider.ts';

interface SessionRefresherOptions {
  readonly provider: IdentityProvider;
  readonly credentials: AdminCredentials;
  readonly admins: CredentialRecords;
  readonly runtime: Pick<Runtime, 'now' | 'sleep'>;
  readonly log: Logger;
  /** Determines the rights that claims grant; undefined if none. */
  readonly rights: (
    claims: UserClaims,
  ) => Promise<Pick<AdminCredential, 'role' | 'tenantIds' | 'viewedIds'> | undefined>;
}

/** How long a process that asks the provider keeps others from asking: longer than an answer may take. */
const LEASE_MS = 30_000;
/** How often, and how many times, a process checks for the result of another's refresh. */
const LOOK_MS = 50;
const LOOKS_MAX = 200;

/**
 * How often, and how many times, a write of the provider's answer is retried while the store is unavailable.
 */
const TRY_MS = 250;
const TRIES_MAX = 12;

/**
 * Creates the function that keeps sessions up to date with the provider. If a refresh is due, it asks the
 * provider, by one request of all processes that share the store. It returns the current session, or
 * undefined if it has ended. Throws `unavailable`.
 */
export function createSessionRefresher({
  provider,
  credentials,
  admins,
  runtime,
  log,
  rights,
}: SessionRefresherOptions) {
  /** The refreshes in progress in this process, by session. */
  const asked = new Map<string, Promise<AdminCredential | undefined>>();

  function change(
    credential: AdminCredential,
    renewal: Omit<Renewal, 'identity'>,
    identity: Omit<Identity, 'version'>,
  ) {
    const { version } = credential.identity!;
    return admins.renew(credential.id, version, {
      ...renewal,
      identity: { ...identity, version: version + 1 },
    });
  }

  /** Asks the provider about a session, and keeps other processes from asking meanwhile. */
  async function ask(credential: AdminCredential): Promise<AdminCredential | undefined> {
    const identity = credential.identity!;
    let claims: UserClaims | undefined;
    try {
      claims = await provider.refresh(identity);
    } catch (error) {
      if (!isAway(error)) throw error;
      if (!error.logged) log.error({ err: error.cause }, 'the identity provider does not answer');
      const now = runtime.now();
      await change(credential, credential, { ...identity, refreshAt: now + provider.retryMs });
      if (now < identity.holdsUntil) return credential;
      throw unavailable(undefined);
    }
    const changed = await persist(() => apply(credential, claims));
    if (changed !== undefined) return changed;
    // The session has ended, or this took longer than other processes wait, and one of them has asked too.
    const next = await findAgain(credential);
    return next && renew(next);
  }

  /**
   * Retries a write while the store is unavailable: the provider gives each answer once, and ends a session
   * whose previous token is used again.
   */
  async function persist<T>(tell: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await tell();
      } catch (error) {
        if (!isAway(error) || tries === TRIES_MAX) throw error;
        await runtime.sleep(TRY_MS);
      }
    }
  }

  /** Updates a session to the provider's claims; undefined if it has ended. */
  async function apply(
    credential: AdminCredential,
    claims: UserClaims | undefined,
  ): Promise<AdminCredential | undefined> {
    const identity = credential.identity!;
    const isSame = claims?.issuer === identity.issuer && claims.subject === identity.subject;
    const given = isSame ? await rights(claims) : undefined;
    if (isSame && given !== undefined)
      return change(credential, { name: claims.name, ...given }, toIdentity(claims, runtime.now(), identity));
    const by = {
      who: credential.name,
      from: provider.name,
      credentialId: credential.id,
      person: toPerson(identity),
    };
    await credentials.end(credential, by);
    return undefined;
  }

  async function findAgain({ hash }: AdminCredential): Promise<AdminCredential | undefined> {
    const found = await admins.findByHash(hash);
    return found !== undefined && isOpen(found, 'session', runtime.now()) ? found : undefined;
  }

  async function renew(credential: AdminCredential): Promise<AdminCredential | undefined> {
    let seen = credential;
    for (let looks = 0; ; looks += 1) {
      const now = runtime.now();
      const identity = seen.identity!;
      if (isDue(identity, now)) {
        const leased = await change(seen, seen, { ...identity, refreshAt: now + LEASE_MS });
        if (leased !== undefined) return ask(leased);
      } else if (now < identity.holdsUntil) {
        return seen;
      } else {
        if (looks >= LOOKS_MAX) throw unavailable(undefined);
        await runtime.sleep(LOOK_MS);
      }
      const next = await findAgain(credential);
      if (next === undefined) return undefined;
      seen = next;
    }
  }

  return async (credential: AdminCredential): Promise<AdminCredential | undefined> => {
    const { identity, id } = credential;
    if (identity === null) return credential;
    const now = runtime.now();
    const holds = now < identity.holdsUntil;
    if (identity.refreshToken === null) return holds ? credential : undefined;
    if (holds && !isDue(identity, now)) return credential;
    const running = asked.get(id);
    if (running !== undefined) return running;
    const own = renew(credential).finally(() => asked.delete(id));
    asked.set(id, own);
    return own;
  };
}

function isAway(error: unknown): error is ApiError {
  return isApiError(error) && error.code === 'unavailable';
}
