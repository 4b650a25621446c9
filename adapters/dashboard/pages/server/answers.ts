import type { ComparisonName } from '../../../../src/index.ts';
import type { IngestionLimits, Limits, OperandKind } from '../../../../src/store-kit.ts';

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
export interface Tenant {
  readonly id: string;
  readonly alias: string;
  readonly name: string;
  readonly plan: string;
  readonly limits: Limits | null;
  readonly authStrategy: 'NONE' | 'SERVER_SIDE' | 'JWT';
  readonly jwt: JwtSettings | null;
  readonly createdAt: number;
  readonly queryApi: boolean;
  readonly requestLimits: Tenant['limits'];
  readonly ingestionLimits: IngestionLimits | null;
}

/** What tokens are checked against. */
export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly publicKeyPem?: string;
  readonly jwksUrl?: string;
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

/** An event as the Query API answers it. */
export interface Event {
  readonly eventName: string;
  readonly userId: string;
  readonly eventTs: string;
  readonly eventDate: string;
  readonly insertId: string;
  readonly properties: Readonly<Record<string, unknown>>;
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

/** A path that events have. */
export interface Property {
  readonly path: string;
  readonly types: Readonly<Record<string, number>>;
  readonly examples: readonly (string | number | boolean)[];
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
