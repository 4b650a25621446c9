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
  'limits.reset': 'reset limits',
  'refusals.clear': 'cleared refusals',
  'events.erase': 'erased events',
  'credential.create': 'created a link, session or admin key',
  'credential.end': 'ended a link, session or admin key',
};
