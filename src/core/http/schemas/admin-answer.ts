import type { AuditEntry } from '../../access/audit.ts';
import type { IssuedKey } from '../../access/admin.ts';
import type { ApiKey, KeySecret, KeyState } from '../../access/key.ts';
import type { AdminCredential } from '../../access/admin-credential.ts';
import type { IngestionLimits, Limits, Plan } from '../../access/plan.ts';
import type { SavedView } from '../../access/saved-view.ts';
import type { Tenant } from '../../access/tenant.ts';
import type { WindowState } from '../../base/token-bucket.ts';
import type { Comparison } from '../../filter/filter.ts';
import type { ComparisonName } from '../../filter/operators.ts';

/** The ways to sign in to this server. */
export interface WaysToSignIn {
  /** Whether sign-in links work. */
  readonly link: boolean;
  /** The name of the identity provider; null for none. */
  readonly provider: string | null;
}

/** The session or key for programs of the caller. */
export interface SessionAnswer extends Pick<AdminCredential, 'name' | 'role' | 'expiresAt'> {
  /** The aliases of the tenants that it may read; null for all. */
  readonly tenants: readonly string[] | null;
  /** The aliases of the tenants that it may change; null for all. */
  readonly administers: readonly string[] | null;
  /** The identity provider that it came from; null for a link, and for a key for programs. */
  readonly provider: string | null;
}

/** The session that a sign-in began. */
export interface SignInAnswer extends SessionAnswer {
  /** The page to open, after an identity provider. */
  readonly returnTo?: string | undefined;
}

/** The next step of a login at an identity provider. */
export interface BeginSignInAnswer {
  /** The URL of the identity provider's login page. */
  readonly url: string;
}

/** The next step of a sign-out. */
export interface SignOutAnswer {
  /** The URL at which the identity provider ends its own session; absent where it has none. */
  readonly url?: string | undefined;
}

/** A session, or a link that becomes one; never its secret. */
export interface PersonSession extends Pick<
  AdminCredential,
  'id' | 'name' | 'role' | 'createdAt' | 'lastUsedAt'
> {
  /** Whether it is an unused link. */
  readonly isPending: boolean;
  /** The aliases of the tenants that it may read; null for all. */
  readonly tenants: readonly string[] | null;
  /** The identity provider that it came from; null for a link. */
  readonly provider: string | null;
  /** What the provider knows the person as; null for a link. */
  readonly subject: string | null;
  /** Who made its link for this person; null for any other link, and for a provider. */
  readonly invitedBy: string | null;
  /** When it ends at the latest. */
  readonly expiresAt: number;
  /** Whether it belongs to the person who asks. */
  readonly isOwn: boolean;
  /** Whether it is the session that asks. */
  readonly isCurrent: boolean;
}

/** The outcome of ending sessions. */
export interface EndedSessionsAnswer {
  /** How many sessions and links have ended. */
  readonly ended: number;
}

/** A link for somebody, which only this answer shows. */
export interface InvitationAnswer {
  /** The id of the link, as the list of sessions names it. */
  readonly id: string;
  /** The link. It signs in once. */
  readonly url: string;
  /** When the link expires. */
  readonly expiresAt: number;
}

/** A tenant, with the limits in force. */
export interface TenantAnswer extends Tenant {
  /** Whether its plan includes the Query API. */
  readonly queryApi: boolean;
  /** The limits of each key; null for no limit. */
  readonly requestLimits: Limits | null;
  /** The limits of all senders together; null for no limit. */
  readonly ingestionLimits: IngestionLimits | null;
}

/** A key, without its secrets and their hashes. Only that of a public write key is shown. */
export interface KeyAnswer extends Omit<ApiKey, 'secrets'> {
  /** Whether requests with it are accepted now, and if not, why. */
  readonly state: KeyState;
  /** The times of its valid secrets. */
  readonly secrets: readonly Omit<KeySecret, 'hash'>[];
}

/** A key with its secret, which only this answer shows. */
export interface IssuedKeyAnswer extends Omit<IssuedKey, 'key'> {
  /** The key, as the list of keys shows it. */
  readonly key: KeyAnswer;
}

/** The choices that this server offers. */
export interface Choices {
  /** Every plan; `limits` is null where each tenant sets its own, or none apply. */
  readonly plans: readonly Plan[];
  /** Every comparison of filters. */
  readonly comparisons: readonly (Pick<Comparison, 'said' | 'takes'> & {
    /** The name that filters use. */
    readonly name: ComparisonName;
  })[];
}

/** The result of a token check. */
export type TokenCheck =
  | {
      /** The token is accepted. */
      readonly valid: true;
      /** The user whose events it may send. */
      readonly userId: string;
    }
  | {
      /** The token is refused. */
      readonly valid: false;
      /** Why the token is refused. */
      readonly error: string;
    };

/** How much an erasure removed. */
export interface ErasedAnswer {
  /** How many events were erased. */
  readonly erased: number;
}

/** The present state of a token bucket. */
export type BucketAnswer = Omit<WindowState, 'reserve'>;

/** The tokens that a tenant and its keys have left. */
export interface UsageAnswer {
  /** Whether its plan includes the Query API. */
  readonly queryApi: boolean;
  /** The buckets for events and bytes of all senders together; null for no limit. */
  readonly ingestion: readonly BucketAnswer[] | null;
  /** The live keys. */
  readonly keys: readonly (Pick<ApiKey, 'id' | 'name' | 'permissions' | 'createdAt' | 'lastUsedAt'> & {
    /** The buckets for the key's requests, or for the events of a public write key; null for no limit. */
    readonly windows: readonly BucketAnswer[] | null;
  })[];
}

/** A saved view. */
export interface ViewAnswer extends Pick<
  SavedView,
  'id' | 'name' | 'question' | 'by' | 'createdAt' | 'changedAt'
> {
  /** Whether it is for all people of the tenant, or the caller's own. */
  readonly isShared: boolean;
  /** Whether the caller may change it. */
  readonly mayChange: boolean;
}

/** A page of the audit log, newest first. */
export interface AuditAnswer {
  /** At most 100 entries. */
  readonly entries: readonly AuditEntry[];
  /** The id of the last entry here; absent where no older entries exist. */
  readonly before?: string;
}
