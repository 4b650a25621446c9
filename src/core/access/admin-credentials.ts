import { toAuditEntry, toDetails, type AuditEntry, type Actor, type AuditAction } from './audit.ts';
import {
  createCredentialSecret,
  isOpen,
  isCredentialSecret,
  LINK_MS,
  SESSION_MS,
  type AdminCredential,
  type CredentialKind,
} from './admin-credential.ts';
import { parseName } from './name.ts';
import { ApiError } from '../base/errors.ts';
import type { CredentialRecords } from './credential-records.ts';
import { toPerson } from './identity.ts';
import type { Runtime } from '../base/runtime.ts';

/** A credential with its secret, which is stored nowhere. */
export interface IssuedCredential {
  /** The stored part. */
  readonly credential: AdminCredential;
  /** The secret that its holder presents. */
  readonly secret: string;
}

/** The person or program that a credential is for. */
export type CredentialHolder = Pick<AdminCredential, 'name' | 'role' | 'tenantIds'> &
  Partial<Pick<AdminCredential, 'viewedIds' | 'identity' | 'invitation'>>;

/** What the end of a credential needs to know of it. */
export type EndedCredential = Pick<AdminCredential, 'id' | 'name' | 'kind' | 'identity'>;

/** The credentials for administration. */
export interface AdminCredentials {
  /**
   * Creates a link, which is valid for ten minutes. One with an invitation, and the session that it becomes,
   * also end when the invitation says. Throws ApiError 400 for a name that nobody could read.
   */
  createLink(holder: CredentialHolder, by: Actor): Promise<IssuedCredential>;
  /** Creates a key for programs, with an expiry in epoch milliseconds or none. */
  createKey(holder: CredentialHolder, expiresAt: number | null, by: Actor): Promise<IssuedCredential>;
  /** The credential of this kind with the given secret, if it is valid now. */
  find(kind: CredentialKind, secret: string): Promise<AdminCredential | undefined>;
  /** Creates a session, which replaces the one with the secret `old`. */
  createSession(holder: CredentialHolder, by: Actor, old?: string): Promise<IssuedCredential>;
  /**
   * Exchanges a link for a session, which replaces the one with the secret `old`. A link works once. Throws
   * ApiError 401.
   */
  spend(code: string, from: string, old?: string): Promise<IssuedCredential>;
  /** Ends a credential; returns whether there was one. */
  end(credential: EndedCredential, by: Actor): Promise<boolean>;
  /** The keys for programs, oldest first. */
  keys(): Promise<readonly AdminCredential[]>;
  /** The sessions, and the links that become one, that are valid now; oldest first. */
  sessions(): Promise<readonly AdminCredential[]>;
}

/** The dependencies of `createAdminCredentials`. */
export interface CredentialsOptions {
  /** The records of credentials. */
  readonly admins: CredentialRecords;
  /** The clock that determines expiry, and the randomness for secrets. */
  readonly runtime: Pick<Runtime, 'now' | 'uuid' | 'randomBytes' | 'sha256'>;
}

/**
 * How old the recorded last use of a credential may get before it is recorded again, because each record is a
 * write.
 */
const TOUCH_INTERVAL_MS = 60_000;

/** Creates the credentials service over their store. */
export function createAdminCredentials({ admins, runtime }: CredentialsOptions): AdminCredentials {
  function note(action: AuditAction, credential: EndedCredential, by: Actor, given: object = {}): AuditEntry {
    const { id, kind, name, identity } = credential;
    // People may choose their names, and two may choose the same.
    const details = toDetails({ id, kind, name, ...toPerson(identity), ...given });
    return toAuditEntry(by, runtime, { action, tenantId: null, alias: null, details });
  }

  async function issue(
    kind: CredentialKind,
    { name, role, tenantIds, viewedIds = [], identity = null, invitation = null }: CredentialHolder,
    expiresAt: number | null,
    by: Actor,
  ): Promise<IssuedCredential> {
    const secret = createCredentialSecret(kind, runtime);
    const credential: AdminCredential = {
      ...{ id: runtime.uuid(), kind, hash: await runtime.sha256(secret) },
      ...{ name, role, tenantIds, viewedIds, identity, invitation },
      ...{ createdAt: runtime.now(), expiresAt, lastUsedAt: null },
    };
    const given = invitation === null ? {} : { role, tenantIds };
    await admins.create(credential, note('credential.create', credential, by, given));
    return { credential, secret };
  }

  async function find(kind: CredentialKind, secret: string): Promise<AdminCredential | undefined> {
    if (!isCredentialSecret(kind, secret)) return undefined;
    const credential = await admins.findByHash(await runtime.sha256(secret));
    const now = runtime.now();
    if (credential === undefined || !isOpen(credential, kind, now)) return undefined;
    if (credential.lastUsedAt === null || Math.abs(now - credential.lastUsedAt) >= TOUCH_INTERVAL_MS) {
      // A failure to record the use must not refuse the request.
      await admins.touch(credential.id, now).catch(() => undefined);
    }
    return credential;
  }

  /** When a credential ends that would last for `lastsMs`. */
  const endOf = ({ invitation }: CredentialHolder, lastsMs: number) =>
    Math.min(runtime.now() + lastsMs, invitation?.until ?? Infinity);

  const end: AdminCredentials['end'] = async (credential, by) =>
    (await admins.remove(credential.id, note('credential.end', credential, by))) !== undefined;

  /** A session ends the previous one of the browser, so that a copied cookie no longer works. */
  const createSession: AdminCredentials['createSession'] = async (holder, by, old) => {
    const issued = await issue('session', holder, endOf(holder, SESSION_MS), by);
    const before = old === undefined ? undefined : await find('session', old);
    if (before !== undefined) await end(before, by);
    return issued;
  };

  return {
    find,
    createSession,
    createLink: async (holder, by) =>
      issue('link', { ...holder, name: parseName(holder.name) }, endOf(holder, LINK_MS), by),
    createKey: (holder, expiresAt, by) =>
      issue('key', { ...holder, name: parseName(holder.name) }, expiresAt, by),
    spend: async (code, from, old) => {
      const link = await find('link', code);
      const by = { who: link?.name ?? '', from, credentialId: link?.id ?? null };
      if (
        link === undefined ||
        (await admins.remove(link.id, note('credential.end', link, by))) === undefined
      ) {
        throw new ApiError('linkSpent');
      }
      return createSession(link, by, old);
    },
    end,
    keys: async () => (await admins.list()).filter(({ kind }) => kind === 'key'),
    sessions: async () => {
      const now = runtime.now();
      return (await admins.list()).filter((each) => each.kind !== 'key' && isOpen(each, each.kind, now));
    },
  };
}
