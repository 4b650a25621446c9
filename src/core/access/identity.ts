/** Who a session is at an identity provider, and when that is asked again. It is kept with the session. */
export interface Identity {
  /** With the subject it says who: no name or address of a person does. */
  readonly issuer: string;
  /** The issuer's own name for who it is: two people never have the same one. */
  readonly subject: string;
  /** The provider's id of its own session; null where it says none. */
  readonly providerSession: string | null;
  /** What the provider is asked again by, sealed; null where it gave nothing to ask again by. */
  readonly refreshToken: string | null;
  /** What it said last of who this is, sealed: a sign-out shows it that. Null where it was too long. */
  readonly idToken: string | null;
  /** From when on the provider is asked again, epoch milliseconds: later for the others while one asks. */
  readonly refreshAt: number;
  /** Until when what it said holds. */
  readonly holdsUntil: number;
  /** Counts up with each change, so that of several who change what they read one does. */
  readonly version: number;
}

/** Whom an identity provider knows somebody as; null for whom none does. */
export function toPerson(
  identity: Pick<Identity, 'issuer' | 'subject'> | null,
): Pick<Identity, 'issuer' | 'subject'> | null {
  return identity && { issuer: identity.issuer, subject: identity.subject };
}

/** What an identity provider says of who signs in. */
export interface UserClaims extends Pick<
  Identity,
  'issuer' | 'subject' | 'providerSession' | 'refreshToken' | 'idToken'
> {
  /** A name for people. */
  readonly name: string;
  /** The values of the claim that gives roles. */
  readonly values: readonly string[];
  /** How long it holds, in milliseconds. */
  readonly lastsMs: number;
}

/** Whose sessions a provider has ended: the one of its own id, or all of a subject until an instant. */
export type Ended = Pick<Identity, 'issuer'> & {
  /** The issuer's own name for what says so, which is heard once. */
  readonly id: string;
  /** From when on it would be too old to be heard, epoch milliseconds. */
  readonly until: number;
  /** Whose sessions end; undefined where only the one session is named. */
  readonly subject: string | undefined;
  /** The provider's id of the one session that ends; undefined for all of the subject. */
  readonly providerSession: string | undefined;
  /** When they ended, epoch milliseconds: of a subject, a session that began later stays. */
  readonly at: number;
};

/** How long what a provider said is relied on. */
const REFRESH_MS = 240_000;
/** How long before its end it is asked again. */
const MARGIN_MS = 60_000;

/** When a provider is asked again that has just said what holds for so long. */
function refreshTimes(now: number, lastsMs: number): Pick<Identity, 'refreshAt' | 'holdsUntil'> {
  const inMs = Math.max(Math.min(REFRESH_MS, lastsMs - MARGIN_MS), Math.min(REFRESH_MS, lastsMs / 2));
  return { refreshAt: now + Math.floor(inMs), holdsUntil: now + lastsMs };
}

/** Builds the identity to store from fresh claims; `before` holds the last ones of the same session. */
export function toIdentity(claims: UserClaims, now: number, before?: Identity): Identity {
  const { issuer, subject, lastsMs } = claims;
  return {
    ...{ issuer, subject, ...refreshTimes(now, lastsMs), version: 1 },
    // What a provider does not say again stays as it was.
    providerSession: claims.providerSession ?? before?.providerSession ?? null,
    refreshToken: claims.refreshToken ?? before?.refreshToken ?? null,
    idToken: claims.idToken ?? before?.idToken ?? null,
  };
}

/** Whether the provider is to be asked again. A clock that stepped back gives nobody more time. */
export function isDue({ refreshAt }: Identity, now: number): boolean {
  return now >= refreshAt || refreshAt - now > REFRESH_MS;
}

interface IdentitySession {
  readonly identity: Identity | null;
  readonly createdAt: number;
}

/** Whether an identity is one of those whose sessions have ended; `createdAt` is when its session began. */
export function isEnded({ identity, createdAt }: IdentitySession, ended: Ended): boolean {
  if (identity?.issuer !== ended.issuer) return false;
  if (ended.subject !== undefined && identity.subject !== ended.subject) return false;
  if (ended.providerSession !== undefined && identity.providerSession !== null)
    return identity.providerSession === ended.providerSession;
  // Whoever has signed in anew since is another session of the same person.
  return ended.subject !== undefined && createdAt <= ended.at;
}
