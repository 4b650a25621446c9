import type { ComparisonName } from '../../../../src/index.ts';
import type { IngestionLimits, JwtSettings, Limits, OperandKind } from '../../../../src/store-kit.ts';

/** Who is signed in. */
export interface Session {
  readonly name: string;
  readonly role: 'viewer' | 'admin';
  /** Aliases; null for all tenants. */
  readonly tenants: readonly string[] | null;
  /** Those of them that may be changed; null for all. */
  readonly administers: readonly string[] | null;
  /** The identity provider that it came from; null for a link. */
  readonly provider: string | null;
  readonly expiresAt: number;
}

/** A tenant as the Admin API answers it. */
export interface TenantAnswer {
  readonly id: string;
  readonly alias: string;
  readonly name: string;
  readonly plan: string;
  readonly limits: Limits | null;
  readonly authStrategy: 'NONE' | 'SERVER_SIDE' | 'JWT';
  readonly jwt: JwtSettings | null;
  readonly createdAt: number;
  readonly queryApi: boolean;
  readonly requestLimits: TenantAnswer['limits'];
  readonly ingestionLimits: IngestionLimits | null;
}

/** A key as the Admin API answers it. */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly secrets: readonly { readonly createdAt: number; readonly expiresAt: number | null }[];
}

/** Groups as the Query API answers them. */
export interface Groups {
  readonly total: number;
  readonly missing: number;
  readonly arrays: number;
  readonly objects: number;
  readonly groupsTotal: number;
  readonly groups: readonly {
    readonly key: string | number | boolean;
    readonly count: number;
    readonly distinct?: number;
  }[];
  readonly distinct?: number;
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
