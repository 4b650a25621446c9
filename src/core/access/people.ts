import type { AdminCredential, Role } from './admin-credential.ts';
import type { AdminCredentials, IssuedCredential } from './admin-credentials.ts';
import { isAdminOf, isFor, isOwner, mayEnd, rightsOf, type Caller } from './reach.ts';
import type { TenantRecords } from './tenant-records.ts';
import { isAlias } from './tenant.ts';
import { ApiError, invalid } from '../base/errors.ts';

/** How many tenants an invitation may name. */
export const INVITED_TENANTS_MAX = 100;

/** A person who is invited. */
export interface InvitedPerson {
  /** What others read in lists and in the audit log. */
  readonly name: string;
  readonly role: Role;
  /** The aliases of the tenants; null or absent for all. */
  readonly tenants?: readonly string[] | null;
}

/** The sessions that end: those with an id, or with a name. */
export type EndedSessions = Partial<Pick<AdminCredential, 'id' | 'name'>>;

interface PeopleOptions {
  readonly credentials: Pick<AdminCredentials, 'sessions' | 'end' | 'createLink'>;
  readonly tenants: Pick<TenantRecords, 'findByAlias' | 'list'>;
}

/**
 * Makes the operations on people: which sessions there are, how they end, and who is invited. Over HTTP and
 * on the command line they are the same; only the rights of the caller differ.
 */
export function createPeople({ credentials, tenants }: PeopleOptions) {
  /** The sessions that a caller may see and end, oldest first. */
  async function reachedBy(caller: Caller): Promise<readonly AdminCredential[]> {
    return (await credentials.sessions()).filter((session) => mayEnd(caller, session));
  }

  /**
   * The ids of the tenants that an invitation names, all of which the caller administers. A tenant out of the
   * caller's reach looks like one that does not exist. Throws ApiError 403, 404.
   */
  async function invitedIds(
    aliases: readonly string[] | null,
    caller: Caller,
  ): Promise<readonly string[] | null> {
    const rights = rightsOf(caller);
    if (aliases === null) {
      if (!isOwner(rights)) throw new ApiError('roleTooLow');
      return null;
    }
    const ids = new Set<string>();
    for (const alias of aliases) {
      const tenant = isAlias(alias) ? await tenants.findByAlias(alias) : undefined;
      if (tenant === undefined || !isFor(rights, tenant)) throw new ApiError('tenantNotFound');
      if (!isAdminOf(rights, tenant)) throw new ApiError('roleTooLow');
      ids.add(tenant.id);
    }
    return [...ids];
  }

  return {
    /** The latest sessions that a caller may end, latest first, and the aliases of their tenants by id. */
    list: async (caller: Caller, max = Infinity) => {
      const sessions = [...(await reachedBy(caller))].reverse().slice(0, max);
      const ids = sessions.flatMap(({ tenantIds, viewedIds }) => [
        ...(tenantIds ?? []),
        ...(viewedIds ?? []),
      ]);
      const found = await tenants.list({ ids: [...new Set(ids)] });
      return { sessions, aliases: new Map(found.map(({ id, alias }) => [id, alias])) };
    },
    /** Ends sessions within the caller's reach, and returns those that it ended. Throws ApiError 400. */
    end: async (caller: Caller, { id, name }: EndedSessions): Promise<readonly AdminCredential[]> => {
      if ((id === undefined) === (name === undefined))
        throw invalid('body', 'takes the id of a session, or the name of a person');
      const meant = (await reachedBy(caller)).filter((each) => each.id === id || each.name === name);
      const ended: AdminCredential[] = [];
      for (const session of meant) if (await credentials.end(session, caller.by)) ended.push(session);
      if (ended.length > 0) return ended;
      throw invalid(id === undefined ? 'name' : 'id', 'there is no such session');
    },
    /** Makes a sign-in link for somebody. What is given ends with what the giver has. */
    invite: async (
      caller: Caller,
      { name, role, tenants: aliases = null }: InvitedPerson,
    ): Promise<IssuedCredential> => {
      const tenantIds = await invitedIds(aliases, caller);
      const { by, credential } = caller;
      const until = credential?.expiresAt ?? null;
      const invitation = { by: by.who, credentialId: credential?.id ?? null, until };
      return credentials.createLink({ name, role, tenantIds, invitation }, by);
    },
  };
}
