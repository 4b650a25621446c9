import { toNote, type AuditNote, type Actor, type AuditAction } from './audit.ts';
import {
  createPassSecret,
  isOpen,
  isPassSecret,
  LINK_MS,
  SESSION_MS,
  type Pass,
  type PassKind,
} from './pass.ts';
import { parseName } from './admin-options.ts';
import { ApiError } from '../base/errors.ts';
import type { AdminStore } from './admin-store.ts';
import { toPerson } from './identity.ts';
import type { Runtime } from '../base/runtime.ts';

/** A credential with its secret, which is stored nowhere. */
export interface IssuedPass {
  /** The stored part. */
  readonly pass: Pass;
  /** The secret that its holder presents. */
  readonly secret: string;
}

/** The person or program that a credential is for. */
export type PassHolder = Pick<Pass, 'name' | 'role' | 'tenantIds'> &
  Partial<Pick<Pass, 'viewedIds' | 'identity'>>;

/** The credentials for administration. */
export interface Passes {
  /** Creates a link, which is valid for ten minutes. */
  createLink(holder: PassHolder, by: Actor): Promise<IssuedPass>;
  /** Creates a key for programs, with an expiry in epoch milliseconds or none. */
  createKey(holder: PassHolder, expiresAt: number | null, by: Actor): Promise<IssuedPass>;
  /** The credential of this kind with the given secret, if it is valid now. */
  find(kind: PassKind, secret: string): Promise<Pass | undefined>;
  /** Creates a session, which replaces the one with the secret `old`. */
  createSession(holder: PassHolder, by: Actor, old?: string): Promise<IssuedPass>;
  /**
   * Exchanges a link for a session, which replaces the one with the secret `old`. A link works once. Throws
   * ApiError 401.
   */
  spend(code: string, from: string, old?: string): Promise<IssuedPass>;
  /** Ends a credential; returns whether there was one. */
  end(pass: Pick<Pass, 'id' | 'name' | 'kind' | 'identity'>, by: Actor): Promise<boolean>;
  /** The keys for programs, oldest first. */
  keys(): Promise<readonly Pass[]>;
}

/** The dependencies of `createPasses`. */
export interface PassesOptions {
  /** The store of credentials. */
  readonly admins: AdminStore;
  /** The clock that determines expiry, and the randomness for secrets. */
  readonly runtime: Pick<Runtime, 'now' | 'uuid' | 'randomBytes' | 'sha256'>;
}

/**
 * How old the recorded last use of a credential may get before it is recorded again, because each record is a
 * write.
 */
const TOUCH_INTERVAL_MS = 60_000;

/** Creates the credentials service over their store. */
export function createPasses({ admins, runtime }: PassesOptions): Passes {
  function note(
    action: AuditAction,
    { id, kind, name, identity }: Pick<Pass, 'id' | 'kind' | 'name' | 'identity'>,
    by: Actor,
  ): AuditNote {
    // People may choose their names, and two may choose the same.
    const details = { id, kind, name, ...toPerson(identity) };
    return toNote(by, runtime, { action, tenantId: null, alias: null, details });
  }

  async function issue(
    kind: PassKind,
    { name, role, tenantIds, viewedIds = [], identity = null }: PassHolder,
    expiresAt: number | null,
    by: Actor,
  ): Promise<IssuedPass> {
    const secret = createPassSecret(kind, runtime);
    const pass: Pass = {
      ...{ id: runtime.uuid(), kind, hash: await runtime.sha256(secret) },
      ...{
        name,
        role,
        tenantIds,
        viewedIds,
        identity,
        createdAt: runtime.now(),
        expiresAt,
        lastUsedAt: null,
      },
    };
    await admins.create(pass, note('pass.create', pass, by));
    return { pass, secret };
  }

  async function find(kind: PassKind, secret: string): Promise<Pass | undefined> {
    if (!isPassSecret(kind, secret)) return undefined;
    const pass = await admins.findByHash(await runtime.sha256(secret));
    const now = runtime.now();
    if (pass === undefined || !isOpen(pass, kind, now)) return undefined;
    if (pass.lastUsedAt === null || Math.abs(now - pass.lastUsedAt) >= TOUCH_INTERVAL_MS) {
      // A failure to record the use must not refuse the request.
      await admins.touch(pass.id, now).catch(() => undefined);
    }
    return pass;
  }

  const end: Passes['end'] = async (pass, by) =>
    (await admins.remove(pass.id, note('pass.end', pass, by))) !== undefined;

  /** A session ends the previous one of the browser, so that a copied cookie no longer works. */
  const createSession: Passes['createSession'] = async (holder, by, old) => {
    const issued = await issue('session', holder, runtime.now() + SESSION_MS, by);
    const before = old === undefined ? undefined : await find('session', old);
    if (before !== undefined) await end(before, by);
    return issued;
  };

  return {
    find,
    createSession,
    createLink: (holder, by) => issue('link', holder, runtime.now() + LINK_MS, by),
    createKey: (holder, expiresAt, by) =>
      issue('key', { ...holder, name: parseName(holder.name) }, expiresAt, by),
    spend: async (code, from, old) => {
      const link = await find('link', code);
      const by = { who: link?.name ?? '', from, passId: link?.id ?? null };
      if (link === undefined || (await admins.remove(link.id, note('pass.end', link, by))) === undefined) {
        throw new ApiError('linkSpent');
      }
      return createSession(link, by, old);
    },
    end,
    keys: async () => (await admins.list()).filter(({ kind }) => kind === 'key'),
  };
}
