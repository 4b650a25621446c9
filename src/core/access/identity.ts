/**
 * The identity of a session at an identity provider, and when to refresh it. It is stored with the session.
 */
export interface Identity {
  /** Together with the subject it identifies the person; names and addresses do not. */
  readonly issuer: string;
  /** The issuer's own id of the person, which no two people share. */
  readonly subject: string;
  /** The provider's id of its own session; null if it gave none. */
  readonly providerSession: string | null;
  /** The refresh token, sealed; null if the provider gave none. */
  readonly refreshToken: string | null;
  /** The provider's last ID token, sealed; a sign-out sends it back. Null if it was too long. */
  readonly idToken: string | null;
  /** When to refresh, epoch milliseconds; postponed for other processes while one of them refreshes. */
  readonly refreshAt: number;
  /** When the provider's last answer expires, epoch milliseconds. */
  readonly holdsUntil: number;
  /** Incremented with each change, so that of several concurrent changes only one succeeds. */
  readonly version: number;
}

/** The person as the identity provider knows them; null for a session that comes from no provider. */
export function toPerson(
  identity: Pick<Identity, 'issuer' | 'subject'> | null,
): Pick<Identity, 'issuer' | 'subject'> | null {
  return identity && { issuer: identity.issuer, subject: identity.subject };
}

/** The claims of an identity provider about the person who signs in. */
export interface UserClaims extends Pick<
  Identity,
  'issuer' | 'subject' | 'providerSession' | 'refreshToken' | 'idToken'
> {
  /** A name for people. */
  readonly name: string;
  /** The values of the claim that determines roles. */
  readonly values: readonly string[];
  /** How long the claims are valid, in milliseconds. */
  readonly lastsMs: number;
}

/** The sessions that a provider has ended: one session by its id, or all of a subject up to an instant. */
export type Ended = Pick<Identity, 'issuer'> & {
  /** The issuer's own id of the logout token, which is accepted once. */
  readonly id: string;
  /** When the token becomes too old to be accepted, epoch milliseconds. */
  readonly until: number;
  /** The person whose sessions end; undefined if only one session is named. */
  readonly subject: string | undefined;
  /** The provider's id of the one session that ends; undefined for all sessions of the subject. */
  readonly providerSession: string | undefined;
  /** When they ended, epoch milliseconds. Sessions of the subject that began later continue. */
  readonly at: number;
};

/** The longest time for which a provider's answer is trusted. */
const REFRESH_MS = 240_000;
/** How long before that time ends the provider is asked again. */
const MARGIN_MS = 60_000;

/** When to refresh after an answer that is valid for `lastsMs`. */
function refreshTimes(now: number, lastsMs: number): Pick<Identity, 'refreshAt' | 'holdsUntil'> {
  const inMs = Math.max(Math.min(REFRESH_MS, lastsMs - MARGIN_MS), Math.min(REFRESH_MS, lastsMs / 2));
  return { refreshAt: now + Math.floor(inMs), holdsUntil: now + lastsMs };
}

/** Builds the identity to store from fresh claims; `before` holds the last ones of the same session. */
export function toIdentity(claims: UserClaims, now: number, before?: Identity): Identity {
  const { issuer, subject, lastsMs } = claims;
  return {
    ...{ issuer, subject, ...refreshTimes(now, lastsMs), version: 1 },
    // If the provider omits a value, the previous one stays.
    providerSession: claims.providerSession ?? before?.providerSession ?? null,
    refreshToken: claims.refreshToken ?? before?.refreshToken ?? null,
    idToken: claims.idToken ?? before?.idToken ?? null,
  };
}

/** Whether to ask the provider again. A clock that stepped back extends no session. */
export function isDue({ refreshAt }: Identity, now: number): boolean {
  return now >= refreshAt || refreshAt - now > REFRESH_MS;
}

interface IdentitySession {
  readonly identity: Identity | null;
  readonly createdAt: number;
}

/** Whether the identity belongs to one of the ended sessions; `createdAt` is when its session began. */
export function isEnded({ identity, createdAt }: IdentitySession, ended: Ended): boolean {
  if (identity?.issuer !== ended.issuer) return false;
  if (ended.subject !== undefined && identity.subject !== ended.subject) return false;
  if (ended.providerSession !== undefined && identity.providerSession !== null)
    return identity.providerSession === ended.providerSession;
  // A person who has signed in again since has a new session, which continues.
  return ended.subject !== undefined && createdAt <= ended.at;
}
