import { fieldsOf } from '../../access/admin-options.ts';
import { parseName } from '../../access/name.ts';
import { parseRole, type AdminCredential } from '../../access/admin-credential.ts';
import { isAdminOf, isFor, isOwner, isSamePerson, mayEnd, tenantIdsOf } from '../../access/reach.ts';
import { isAlias } from '../../access/tenant.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { describeValue } from '../../event/text.ts';
import type { AdminRouteName } from '../admin-routes.ts';
import { refuseParameters } from '../operation.ts';
import type { EndedSessionsAnswer, InvitationAnswer, PersonSession } from '../schemas/admin-answer.ts';
import type { AuthContext, AuthGuard } from './auth-guard.ts';
import { createChangeCounter, readBody, toJson, turnOf, type AdminOperation } from './admin-operation.ts';
import type { ControllerOptions } from './controller.ts';
import type { AdminCredentials } from '../../access/admin-credentials.ts';

/** How many sessions the list has at most. */
const SESSIONS_MAX = 1_000;
/** How many tenants an invitation may name. */
const INVITED_TENANTS_MAX = 100;

interface PeopleOptions extends Pick<ControllerOptions, 'stores' | 'scheduler'> {
  readonly credentials: AdminCredentials;
}

/** Makes the operations that list sessions, end them, and invite people. */
export function createPeople(
  { credentials, stores, scheduler }: PeopleOptions,
  guard: Pick<AuthGuard, 'pagesUrlOf' | 'cookieOf'>,
) {
  const turn = turnOf(scheduler);
  const countChange = createChangeCounter(stores.limits);

  /** The sessions that a caller may see and end, the latest sign-in first. */
  async function reachedBy({ credential }: AuthContext): Promise<readonly AdminCredential[]> {
    const all = await credentials.sessions();
    return all.filter((session) => mayEnd(credential, session)).reverse();
  }

  /**
   * The ids of the tenants that an invitation names, all of which the caller administers. A tenant out of the
   * caller's reach looks like one that does not exist. Throws ApiError 400, 403, 404.
   */
  async function invitedIds(
    aliases: unknown,
    credential: AdminCredential,
  ): Promise<readonly string[] | null> {
    if (aliases === null || aliases === undefined) {
      if (!isOwner(credential)) throw new ApiError('roleTooLow');
      return null;
    }
    if (!Array.isArray(aliases) || aliases.length === 0 || aliases.length > INVITED_TENANTS_MAX)
      throw invalid(
        'tenants',
        `takes 1 to ${INVITED_TENANTS_MAX} aliases, or null for all, got ${describeValue(aliases)}`,
      );
    const ids = new Set<string>();
    for (const alias of aliases as readonly unknown[]) {
      const tenant = isAlias(alias) ? await stores.tenants.findByAlias(alias) : undefined;
      if (tenant === undefined || !isFor(credential, tenant)) throw new ApiError('tenantNotFound');
      if (!isAdminOf(credential, tenant)) throw new ApiError('roleTooLow');
      ids.add(tenant.id);
    }
    return [...ids];
  }

  return {
    listSessions: async (call, auth) => {
      refuseParameters(call.target.queryString);
      return turn(call, auth, async (pacer) => {
        const shown: PersonSession[] = [];
        const found = (await reachedBy(auth)).slice(0, SESSIONS_MAX);
        const ids = found.flatMap(({ tenantIds, viewedIds }) => [...(tenantIds ?? []), ...(viewedIds ?? [])]);
        const tenants = await stores.tenants.list({ ids: [...new Set(ids)] });
        const aliases = new Map(tenants.map(({ id, alias }) => [id, alias]));
        for (const session of found) {
          await pacer.yieldIfDue();
          shown.push(toPersonSession(session, aliases, auth.credential));
        }
        return toJson(call, shown);
      });
    },
    endSessions: async (call, auth) => {
      const { id, name } = fieldsOf('body', await readBody(call, auth.credential.id), 'EndSessionsBody');
      const said = [id, name].filter((each) => each !== undefined);
      if (said.length !== 1 || typeof said[0] !== 'string')
        throw invalid('body', 'takes the id of a session, or the name of a person');
      await countChange(auth);
      return turn(call, auth, async (pacer) => {
        const meant = (await reachedBy(auth)).filter((each) => each.id === id || each.name === name);
        let ended = 0;
        for (const session of meant) {
          await pacer.yieldIfDue();
          if (await credentials.end(session, auth.by)) ended += 1;
        }
        if (ended === 0) throw invalid(id === undefined ? 'name' : 'id', 'there is no such session');
        // Who ends the own session is signed out.
        if (meant.some((session) => session.id === auth.credential.id))
          call.headers['Set-Cookie'] = guard.cookieOf(call.request);
        return toJson(call, { ended } satisfies EndedSessionsAnswer);
      });
    },
    invite: async (call, auth) => {
      const { credential, by } = auth;
      const body = fieldsOf('body', await readBody(call, credential.id), 'InviteBody');
      const holder = { name: parseName(body.name), role: parseRole(body.role) };
      await countChange(auth);
      return turn(call, auth, async () => {
        const tenantIds = await invitedIds(body.tenants, credential);
        // What somebody is given ends with what the giver has.
        const invitation = { by: credential.name, credentialId: credential.id, until: credential.expiresAt };
        const link = await credentials.createLink({ ...holder, tenantIds, invitation }, by);
        const url = `${guard.pagesUrlOf(call.request)}/sign-in#${link.secret}`;
        const { id, expiresAt } = link.credential;
        return toJson(call, { id, url, expiresAt: expiresAt! } satisfies InvitationAnswer);
      });
    },
  } satisfies Partial<Record<AdminRouteName, AdminOperation>>;
}

function toPersonSession(
  session: AdminCredential,
  aliases: ReadonlyMap<string, string>,
  caller: AdminCredential,
): PersonSession {
  const { id, kind, name, role, identity, invitation, createdAt, lastUsedAt, expiresAt } = session;
  return {
    ...{ id, name, role, createdAt, lastUsedAt },
    isPending: kind === 'link',
    // A tenant that was deleted has no alias any more.
    tenants: tenantIdsOf(session)?.flatMap((each) => aliases.get(each) ?? []) ?? null,
    provider: identity?.issuer ?? null,
    subject: identity?.subject ?? null,
    invitedBy: invitation?.by ?? null,
    expiresAt: expiresAt!,
    isOwn: isSamePerson(session, caller),
    isCurrent: session.id === caller.id,
  };
}
