import type { AuditEntry } from '../../access/audit.ts';
import type { IssuedKey } from '../../access/admin.ts';
import type { ApiKey, KeySecret } from '../../access/key.ts';
import type { AdminCredential } from '../../access/admin-credential.ts';
import type { IngestionLimits, Limits, Plan } from '../../access/plan.ts';
import type { Tenant } from '../../access/tenant.ts';
import type { WindowState } from '../../base/token-bucket.ts';
import type { Comparison } from '../../filter/filter.ts';
import type { ComparisonName } from '../../filter/operators.ts';

/** How one can sign in here. */
export interface WaysToSignIn {
  /** Whether sign-in links work. */
  readonly link: boolean;
  /** The name of the identity provider; null for none. */
  readonly provider: string | null;
}

/** Who asks. */
export interface SessionAnswer extends Pick<AdminCredential, 'name' | 'role' | 'expiresAt'> {
  /** The aliases of the tenants that may be looked at; null for all. */
  readonly tenants: readonly string[] | null;
  /** Those of them that may be changed; null for all. */
  readonly administers: readonly string[] | null;
  /** The identity provider that it came from; null for a link, and for a key for programs. */
  readonly provider: string | null;
}

/** Who has signed in now. */
export interface SignInAnswer extends SessionAnswer {
  /** The page to open, after an identity provider. */
  readonly returnTo?: string | undefined;
}

/** Where a login goes on. */
export interface BeginSignInAnswer {
  /** The page of the identity provider. */
  readonly url: string;
}

/** Where a sign-out goes on. */
export interface SignOutAnswer {
  /** The page on which the identity provider ends its own session, where it has one. */
  readonly url?: string | undefined;
}

/** A tenant, with the limits that hold now. */
export interface TenantAnswer extends Tenant {
  /** Whether its plan includes the Query API. */
  readonly queryApi: boolean;
  /** Of each key; null for no limit. */
  readonly requestLimits: Limits | null;
  /** Of all senders together; null for no limit. */
  readonly ingestionLimits: IngestionLimits | null;
}

/** A key, without its secrets and their hashes. */
export interface KeyAnswer extends Omit<ApiKey, 'secrets'> {
  /** Whether it opens anything now. */
  readonly state: 'active' | 'expired' | 'revoked';
  /** The times of those of its secrets that open something. */
  readonly secrets: readonly Omit<KeySecret, 'hash'>[];
}

/** A key with its secret, which is shown this once. */
export interface IssuedKeyAnswer extends Omit<IssuedKey, 'key'> {
  /** The key, as it is listed from now on. */
  readonly key: KeyAnswer;
}

/** What can be chosen on this server. */
export interface Choices {
  /** Every plan; `limits` is null where each tenant has its own, or none. */
  readonly plans: readonly Plan[];
  /** Every comparison of filters. */
  readonly comparisons: readonly (Pick<Comparison, 'said' | 'takes'> & {
    /** As a filter names it. */
    readonly name: ComparisonName;
  })[];
}

/** What came of checking a token. */
export type TokenCheck =
  | {
      /** It is accepted. */
      readonly valid: true;
      /** The user whose events it may send. */
      readonly userId: string;
    }
  | {
      /** It is refused. */
      readonly valid: false;
      /** Why. */
      readonly error: string;
    };

/** A bucket of tokens as it is now. */
export type BucketAnswer = Omit<WindowState, 'reserve'>;

/** What a tenant has left of its limits. */
export interface UsageAnswer {
  /** Whether its plan includes the Query API. */
  readonly queryApi: boolean;
  /** The buckets of events and bytes of all senders; null for no limit. */
  readonly ingestion: readonly BucketAnswer[] | null;
  /** Each live key. */
  readonly keys: readonly (Pick<ApiKey, 'id' | 'name' | 'createdAt' | 'lastUsedAt'> & {
    /** The buckets of its requests; null for no limit. */
    readonly windows: readonly BucketAnswer[] | null;
  })[];
}

/** What was changed, newest first. */
export interface AuditAnswer {
  /** At most 100. */
  readonly entries: readonly AuditEntry[];
  /** The id of the last entry where there are more. */
  readonly before?: string;
}
