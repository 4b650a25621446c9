import { memory, mutantsOf, stores } from './mutant.ts';

const KEYS = stores('key store: memory');
const TENANTS = stores('tenant store: memory');

/** The stores in memory. */
export const MEMORY = mutantsOf('adapters/memory', [
  [
    'the same event is stored twice',
    'event-log.ts',
    'if (!identities.add(eventTs, insertId)) return void duplicates.push(index);',
    'if (!identities.add(eventTs, insertId)) duplicates.push(index);',
    memory('a repeat is told'),
  ],
  [
    'an array is walked into',
    'event-log.ts',
    'return valueBelow(JSON.parse(text) as JsonObject, segments);',
    'return segments.reduce((value, key) => value?.[key] as never, JSON.parse(text) as never);',
    memory('any query answers'),
  ],
  [
    'half a batch stays',
    'events.ts',
    'const batch = events.map((event) => ({ ...event }));',
    'const batch = events;',
    memory('a batch that fails half way'),
  ],
  [
    'ids of other instants are the same event',
    'identities.ts',
    'if (same(entry - 1, eventTs, insertId)) return false;',
    "if (same(entry - 1, eventTs, insertId) || insertId === 'same') return false;",
    'adapters/memory/identities',
  ],
  ['a revoked key gets another secret', 'keys.ts', 'if (key.revokedAt !== null) return undefined;', '', KEYS],
  [
    'old secrets live longer by a rotation',
    'keys.ts',
    'Math.min(other.expiresAt ?? Infinity, othersExpireAt)',
    'othersExpireAt',
    KEYS,
  ],
  [
    'a key is revoked at the last time that it was',
    'keys.ts',
    'key.revokedAt ?? revokedAt',
    'revokedAt',
    KEYS,
  ],
  [
    'keys of all tenants go',
    'keys.ts',
    'if (key.tenantId === tenantId) keys.delete(key.id);',
    'keys.delete(key.id);',
    KEYS,
  ],
  [
    'two tenants have one alias',
    'tenants.ts',
    'if (byAlias(tenant.alias) !== undefined) return Promise.resolve(false);',
    '',
    TENANTS,
  ],
  [
    'tenants are listed as people would',
    'tenants.ts',
    'compareCodePoints(a.alias, b.alias)',
    'a.alias.localeCompare(b.alias)',
    TENANTS,
  ],
]);
