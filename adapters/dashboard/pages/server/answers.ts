import type { ApiKey, ComparisonName, Tenant } from '../../../../src/index.ts';
import type { IngestionLimits, KeySecret, Limits, OperandKind, Role } from '../../../../src/store-kit.ts';

/** Who is signed in. */
export interface Session {
  readonly name: string;
  readonly role: Role;
  /** Aliases; null for all tenants. */
  readonly tenants: readonly string[] | null;
  /** Those of them that may be changed; null for all. */
  readonly administers: readonly string[] | null;
  /** The identity provider that it came from; null for a link. */
  readonly provider: string | null;
  readonly expiresAt: number;
}

/** A tenant as the Admin API answers it, with the limits that hold now. */
export interface TenantAnswer extends Tenant {
  readonly queryApi: boolean;
  readonly requestLimits: Limits | null;
  readonly ingestionLimits: IngestionLimits | null;
}

/** A key as the Admin API answers it: never the hash of a secret. */
export interface Key extends Omit<ApiKey, 'secrets'> {
  readonly state: 'active' | 'expired' | 'revoked';
  readonly secrets: readonly Omit<KeySecret, 'hash'>[];
}

/** A plan as the Admin API tells it: limits are null where each tenant has its own, or none. */
export interface PlanView {
  readonly name: string;
  readonly queryApi: boolean;
  readonly limits: Limits | null;
}

/** What can be chosen on this server. */
export interface Choices {
  readonly plans: readonly PlanView[];
  readonly comparisons: readonly {
    readonly name: ComparisonName;
    /** How it is said between a path and a value. */
    readonly said: string;
    readonly takes: OperandKind;
  }[];
}
