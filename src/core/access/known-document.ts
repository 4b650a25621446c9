import { ROLES, type AdminCredential } from './admin-credential.ts';
import type { ControlDocument } from './control-store.ts';
import { CREDENTIAL, SPENT } from './credential-records.ts';
import { REFUSALS, USAGE } from './count-records.ts';
import { put, type DocumentKind } from './decide.ts';
import { PERMISSIONS, type ApiKey } from './key.ts';
import { KEY, RING } from './key-records.ts';
import { MARK, MARK_GROUP } from './mark-records.ts';
import { PLAN_NAMES } from './plan.ts';
import { AUTH_STRATEGIES, isAlias, type Tenant } from './tenant.ts';
import { CONFIG, TENANT } from './tenant-records.ts';
import { VIEW, VIEW_GROUP } from './view-records.ts';

/** What is known of a kind of documents. */
interface KnownKind {
  /** What a sentence calls its documents. */
  readonly what: string;
  /** What a store has to know of a value. */
  readonly of: (value: never) => ReturnType<DocumentKind<object>['of']>;
  /** Whether a value has only values that this version knows. */
  readonly isKnown?: (value: never) => boolean;
}

const isTenant = ({ alias, plan, authStrategy }: Tenant) =>
  isAlias(alias) && PLAN_NAMES.includes(plan) && AUTH_STRATEGIES.includes(authStrategy);
const isKey = ({ permissions }: ApiKey) => permissions.every((each) => PERMISSIONS.includes(each));
const isCredential = ({ role }: AdminCredential) => ROLES.includes(role);

const KINDS = /* @__PURE__ */ listKinds();

function listKinds(): ReadonlyMap<string, KnownKind> {
  return new Map<string, KnownKind>([
    [TENANT.kind, { what: 'tenants', of: TENANT.of, isKnown: isTenant }],
    [CONFIG.kind, { what: 'remote configs', of: CONFIG.of }],
    [KEY.kind, { what: 'keys', of: KEY.of, isKnown: isKey }],
    [RING.kind, { what: 'key rings', of: RING.of }],
    [CREDENTIAL.kind, { what: 'credentials of administrators', of: CREDENTIAL.of, isKnown: isCredential }],
    [SPENT.kind, { what: 'used single-use ids', of: SPENT.of }],
    [VIEW.kind, { what: 'saved views', of: VIEW.of }],
    [VIEW_GROUP.kind, { what: 'groups of saved views', of: VIEW_GROUP.of }],
    [MARK.kind, { what: 'marks', of: MARK.of }],
    [MARK_GROUP.kind, { what: 'groups of marks', of: MARK_GROUP.of }],
    [REFUSALS.kind, { what: 'refusals', of: REFUSALS.of }],
    [USAGE.kind, { what: 'days of usage', of: USAGE.of }],
  ]);
}

/** What a sentence calls the documents of a kind. */
export function nameOfKind(kind: string): string {
  return KINDS.get(kind)?.what ?? 'documents';
}

/**
 * Whether a document is one that this version stores: its kind and the values in it are known, and what a
 * store knows of it is what it says itself. For the check of a file, whose documents may be damaged.
 */
export function isKnownDocument(stored: ControlDocument): boolean {
  const { kind, value } = stored;
  const known = KINDS.get(kind);
  if (known === undefined) return false;
  try {
    const said = put({ kind, of: known.of as DocumentKind<object>['of'] }, value);
    return textOf(stored) === textOf(said) && known.isKnown?.(value as never) !== false;
  } catch {
    return false;
  }
}

const textOf = ({ id, tenantId, group, place, names }: ControlDocument) =>
  JSON.stringify([id, tenantId, group, place, names]);
