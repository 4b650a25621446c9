import type { CountBody } from '../query/body.ts';
import type { Role } from './admin-credential.ts';
import type { Permission } from './key.ts';
import type { KeyRestrictionsOptions } from './key-restrictions.ts';
import type { JwtSettings } from './tenant.ts';

// The bodies of the Admin API beside TenantOptions and TenantChanges, which programs give as well.

/** Confirms that a tenant goes. */
export interface DeleteTenantBody {
  /** The alias of the tenant once more. */
  readonly alias: string;
}

/** A key to be made. */
export interface CreateKeyBody {
  /** What its owner calls it. */
  readonly name: string;
  /** What it opens. */
  readonly permissions: readonly Permission[];
  /** Where and for what a public write key is valid; absent or null for any other key. */
  readonly restrictions?: KeyRestrictionsOptions | null;
  /** Epoch milliseconds in the future; null or absent for a key that does not expire. */
  readonly expiresAt?: number | null;
}

/** A public write key whose restrictions change. */
export interface SetKeyBody {
  /** The id of the key. */
  readonly id: string;
  /** What changes; absent fields stay as they are. */
  readonly restrictions: Partial<KeyRestrictionsOptions>;
}

/** A key that gets a new secret. */
export interface RotateKeyBody {
  /** The id of the key. */
  readonly id: string;
  /** How many milliseconds the old secret stays valid; a day when absent. */
  readonly overlapMs?: number;
}

/** A key that is revoked. */
export interface RevokeKeyBody {
  /** The id of the key. */
  readonly id: string;
}

/** A value of the remote config that is removed. */
export interface UnsetConfigBody {
  /** The key of the value. */
  readonly key: string;
}

/** A token to be checked. */
export interface CheckTokenBody {
  /** The access token. */
  readonly token: string;
  /** Settings to check it with; those of the tenant when null or absent. */
  readonly jwt?: JwtSettings | null;
}

/** Whose limits are refilled. */
export interface ResetLimitsBody {
  /** The id of one key; the tenant and all its keys when absent. */
  readonly id?: string;
}

/** Which sessions end: one of the two. */
export interface EndSessionsBody {
  /** The id of a session. */
  readonly id?: string;
  /** The name of a person; all sessions with it end. */
  readonly name?: string;
}

/** Somebody who gets a link. */
export interface InviteBody {
  /** What others read in lists and in the audit log. */
  readonly name: string;
  /** The role of the session. */
  readonly role: Role;
  /** The aliases of its tenants; null or absent for all. */
  readonly tenants?: readonly string[] | null;
}

/** Events that are erased. */
export interface EraseEventsBody {
  /** The alias of the tenant once more. */
  readonly alias: string;
  /** Which events, as the body of a count. It has at least one condition. */
  readonly query: CountBody;
}

/** A view to be saved. */
export interface CreateViewBody {
  /** What people call it. */
  readonly name: string;
  /** The parameters of an address of the explorer, without the leading `?` and without a cursor. */
  readonly question: string;
  /** Whether it is for all people of the tenant, or one's own. */
  readonly isShared: boolean;
}

/** A view that gets another name or question. */
export interface ChangeViewBody {
  /** The id of the view. */
  readonly id: string;
  /** The new name; absent for the present one. */
  readonly name?: string;
  /** The new question; absent for the present one. */
  readonly question?: string;
}

/** A view that is deleted. */
export interface DeleteViewBody {
  /** The id of the view. */
  readonly id: string;
}

/** How somebody signs in: one of the two. */
export interface SignInBody {
  /** The code of a sign-in link. */
  readonly code?: string;
  /** The query string that the identity provider sent back. */
  readonly callback?: string;
}

/** A login at the identity provider. */
export interface BeginSignInBody {
  /** The page of the dashboard to open afterwards. */
  readonly returnTo?: string;
  /** Whether the provider lets the person choose another account; false when absent. */
  readonly anotherAccount?: boolean;
}
