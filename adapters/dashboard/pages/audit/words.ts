import type { AuditAction } from '../../../../src/store-kit.ts';

/** What each action did, after the name of a person. */
export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  'tenant.create': 'created a tenant',
  'tenant.set': 'changed a tenant',
  'tenant.delete': 'deleted a tenant',
  'key.create': 'created a key',
  'key.set': 'changed a key',
  'key.rotate': 'rotated a key',
  'key.revoke': 'revoked a key',
  'config.set': 'set a remote config value',
  'config.unset': 'removed a remote config value',
  'view.create': 'saved a view',
  'view.set': 'changed a view',
  'view.delete': 'deleted a view',
  'mark.create': 'added a mark',
  'mark.delete': 'removed a mark',
  'limits.reset': 'reset limits',
  'refusals.clear': 'cleared refusals',
  'events.erase': 'erased events',
  'credential.create': 'created a sign-in link, session or admin key',
  'credential.end': 'ended a sign-in link, session or admin key',
};

/** The words by action, and, for what is done with a credential, by action and kind. */
const ALL_WORDS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ACTION_WORDS),
  ['credential.create link', 'created a sign-in link'],
  ['credential.create session', 'signed in'],
  ['credential.create key', 'created an admin key'],
  ['credential.end link', 'used or ended a sign-in link'],
  ['credential.end session', 'ended a session'],
  ['credential.end key', 'revoked an admin key'],
]);

/** What somebody did, after their name; the action itself where it is not known. */
export function wordsOf(action: string, details: object): string {
  const kind = 'kind' in details ? String(details.kind) : '';
  const ofKind = ALL_WORDS.get(`${action} ${kind}`);
  return ofKind ?? ALL_WORDS.get(action) ?? action;
}

/**
 * The details of an entry as people read them: tenants by their aliases, all of them for null. The id of one
 * that is gone stays, and what the words say already is left out.
 */
export function detailsOf(
  details: object,
  aliasOf: (id: string) => string | undefined,
): readonly (readonly [name: string, value: unknown])[] {
  return Object.entries(details).flatMap(
    ([name, value]: readonly [string, unknown]): (readonly [string, unknown])[] => {
      if (name === 'id' || name === 'kind') return [];
      if (name !== 'tenantIds') return [[name, value]];
      const tenants = Array.isArray(value) ? value.map((id) => aliasOf(String(id)) ?? String(id)) : 'all';
      return [['tenants', tenants]];
    },
  );
}
