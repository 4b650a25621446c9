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

/** A pass with its secret, which exists nowhere else. */
export interface IssuedPass {
  /** What is kept of it. */
  readonly pass: Pass;
  /** What its holder shows. */
  readonly secret: string;
}

/** Whom a pass is for. */
export type PassHolder = Pick<Pass, 'name' | 'role' | 'tenantIds'> &
  Partial<Pick<Pass, 'viewedIds' | 'identity'>>;

/** Who may administer. */
export interface Passes {
  /** Makes a link, which lives ten minutes. */
  createLink(holder: PassHolder, by: Actor): Promise<IssuedPass>;
  /** Makes a key for programs, with an expiry in epoch milliseconds or none. */
  createKey(holder: PassHolder, expiresAt: number | null, by: Actor): Promise<IssuedPass>;
  /** The pass of a kind that a secret belongs to, if it opens anything now. */
  find(kind: PassKind, secret: string): Promise<Pass | undefined>;
  /** Makes a session, which takes the place of that of the secret `old`. */
  createSession(holder: PassHolder, by: Actor, old?: string): Promise<IssuedPass>;
  /**
   * Spends a link for a session, which takes the place of that of the secret `old`: whoever comes second is
   * refused. Throws ApiError 401.
   */
  spend(code: string, from: string, old?: string): Promise<IssuedPass>;
  /** Ends a pass; whether there was one. */
  end(pass: Pick<Pass, 'id' | 'name' | 'kind' | 'identity'>, by: Actor): Promise<boolean>;
  /** The keys for programs, oldest first. */
  keys(): Promise<readonly Pass[]>;
}

/** What the judge of passes works with. */
export interface PassesOptions {
  /** Where passes are kept. */
  readonly admins: AdminStore;
  /** The time by which they end, and the chance that they are made of. */
  readonly runtime: Pick<Runtime, 'now' | 'uuid' | 'randomBytes' | 'sha256'>;
}

/** How old the noted last use of a pass may get before it is noted again: each note is a write. */
const TOUCH_INTERVAL_MS = 60_000;

/** Makes the judge of passes over the store where they are kept. */
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
      // A note of use that cannot be written must not refuse the request that it notes.
      await admins.touch(pass.id, now).catch(() => undefined);
    }
    return pass;
  }

  const end: Passes['end'] = async (pass, by) =>
    (await admins.remove(pass.id, note('pass.end', pass, by))) !== undefined;

  /** A session ends the one that the browser had before: a cookie that somebody kept opens nothing. */
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
