import { mutantsOf, stores } from './mutant.ts';

const BUCKET = 'token-bucket.ts';
const REFILL = 'return Math.max(0, Math.min(used, limit * windowMs) - limit * elapsedMs);';
const rounded = (how: 'ceil' | 'floor') =>
  `const tokens = Math.${how}((limit * elapsedMs) / windowMs);\n` +
  '  return Math.max(0, Math.min(used, limit * windowMs) - tokens * windowMs);';

/** Keys, plans, tenants and their limits. */
export const ACCESS = mutantsOf('src/core/access', [
  [
    'a day that is kept is erased',
    'retention.ts',
    'startOfDay(runtime.now()) - days',
    'runtime.now() - days',
  ],
  ['every process erases', 'retention.ts', '!(await limits.take(TURN_ID, TURN, [1])).allowed', 'false'],
  [
    'a tenant that cannot be erased ends all',
    'retention.ts',
    '    } catch (err) {',
    '    } catch (err) {\n      throw err;',
  ],
  [
    'an erasure goes on without its server',
    'retention.ts',
    'events.erase(id, query, signal)',
    'events.erase(id, query)',
  ],
  [
    'what was said while others were erased is not heard',
    'retention.ts',
    'daysOf(await tenants.findById(id))',
    'daysOf(tenant)',
  ],
  ['nothing is kept for no day', 'retention.ts', 'days >= 1', 'days >= 0'],
  ['a revoked key gets another secret', 'key.ts', 'if (key.revokedAt !== null) return undefined;', ''],
  [
    'rotation lets the old secret live longer',
    'key.ts',
    'Math.min(other.expiresAt ?? Infinity, othersExpireAt)',
    'othersExpireAt',
  ],
  [
    'a key is revoked at the time when it was made',
    'admin.ts',
    'keys.revoke(id, runtime.now(), ',
    'keys.revoke(id, key.createdAt, ',
  ],
  ['refill is rounded up to whole tokens', BUCKET, REFILL, rounded('ceil')],
  ['refill is rounded down to whole tokens', BUCKET, REFILL, rounded('floor')],
  ['the second bucket is the first', BUCKET, 'refill(buckets.used[i] ?? 0', 'refill(buckets.used[0] ?? 0'],
  [
    'only the first bucket makes wait',
    BUCKET,
    'if (wait > waitMs) waitMs = wait;',
    'if (i === 0) waitMs = wait;',
  ],
  ['a refused take takes all the same', BUCKET, 'if (allowed && cost !== 0) used', 'if (cost !== 0) used'],
  ['looking costs a token', BUCKET, 'if (allowed && cost !== 0) used[i] =', 'if (allowed) used[i] ='],
  ['a clock that swings gives tokens with each swing', BUCKET, 'updatedAt: seenAt }', 'updatedAt: now }'],
  [
    'a clock that steps back adds tokens',
    BUCKET,
    'seenAt - buckets.updatedAt',
    'Math.abs(now - buckets.updatedAt)',
  ],
  ['the wait forgets how far the clock is behind', BUCKET, 'waitMs + behindMs', 'waitMs'],
  [
    'a smaller plan begins full',
    BUCKET,
    'Math.min(used, limit * windowMs) -',
    '(used > limit * windowMs ? 0 : used) -',
  ],
  [
    'a batch beyond its limit is refused for ever',
    BUCKET,
    'Math.min(cost === 0 ? 1 : cost[i]!, Math.max(1, limit - reserve))',
    '(cost === 0 ? 1 : cost[i]!)',
  ],
  [
    'a plan without requests lets through',
    BUCKET,
    'Math.max(1, limit - reserve)) * windowMs',
    'limit - reserve) * windowMs',
  ],
  ['a wait is rounded down', BUCKET, 'Math.ceil(missing / limit)', 'Math.floor(missing / limit)'],
  ['a reset is rounded down', BUCKET, 'Math.ceil(used / limit)', 'Math.floor(used / limit)'],
  [
    'growth has the limits of builder',
    'plan.ts',
    '{ perMinute: 10, perDay: 200 }',
    '{ perMinute: 2, perDay: 20 }',
  ],
  [
    'limits that a tenant had are not those of its plan',
    'plan.ts',
    'return found;',
    'return { ...found, limits };',
  ],
  [
    'an unknown plan is free of limits',
    'plan.ts',
    "if (plan === 'custom') return",
    "if (plan === 'custom' || !(plan in PLANS)) return",
  ],
  ['any plan takes limits', 'plan.ts', "if (plan !== 'custom') throw", "if (plan === 'free') throw"],
  ['a limit of zero is taken', 'plan.ts', 'limit >= 1 &&', 'limit >= 0 &&'],
  [
    'ingestion without a limit gets the default',
    'plan.ts',
    "value === null || value === 'default'",
    "value === 'default'",
  ],
  ['a UUID is an alias', 'tenant.ts', ' && !UUID_PATTERN.test(value)', ''],
  [
    'a list is an alias',
    'tenant.ts',
    "typeof value === 'string' && ALIAS_PATTERN.test(value)",
    'ALIAS_PATTERN.test(value as string)',
    'core/access/admin',
  ],
  [
    'keys come over http from any host',
    'tenant.ts',
    "(match[1] === 'https' || LOOPBACK",
    "(match[1] !== '' || LOOPBACK",
  ],
  ['a tenant may have both kinds of keys', 'tenant.ts', '|| publicKeyPem !== undefined) {', ') {'],
  ['an expired secret opens', 'key.ts', ' && inTime(secret.expiresAt)', ''],
  [
    'a revoked key opens until the clock is past',
    'key.ts',
    '|| key.revokedAt !== null',
    '|| (key.revokedAt ?? Infinity) < now',
  ],
  ['a key opens what it may not', 'key.ts', ' && key.permissions.includes(permission)', ''],
  [
    'one unknown permission is passed over',
    'key.ts',
    'if (unknown || permissions.length === 0)',
    'if (permissions.length === 0)',
  ],
  ['bytes below 16 are one digit of a secret', 'key.ts', ".padStart(2, '0')", ''],
  ['names keep their blanks', 'admin-options.ts', 'name.trim()', 'name', 'core/access/admin'],
  [
    'an unknown setting is passed over',
    'admin-options.ts',
    'if (unknown !== undefined) throw',
    "if (unknown === '') throw",
    'core/access/admin',
  ],
  [
    'any strategy can be set',
    'admin-options.ts',
    'parseAuthStrategy(authStrategy)',
    'authStrategy as never',
    'core/access/admin',
  ],
  [
    'JWT needs no settings',
    'admin-options.ts',
    "after.authStrategy === 'JWT' && after.jwt === null",
    "after.authStrategy === 'JWT' && after.jwt === undefined",
    'core/access/admin',
  ],
  [
    'a key expires when nothing can be shown any more',
    'admin-options.ts',
    ' && ms <= MILLISECONDS_MAX',
    '',
    'core/access/admin',
  ],
  [
    'what was counted of a tenant stays',
    'admin.ts',
    '[id, ...(await keys.list(id))',
    '[...(await keys.list(id))',
  ],
  [
    'keys that are made while a tenant is deleted stay',
    'admin.ts',
    'await keys.erase(id);\n      await limits.erase(counted);\n    }',
    'await limits.erase(counted);\n    }',
    'core/access/delete-tenant',
  ],
  [
    'events of a deleted tenant come in',
    'admin.ts',
    'await events.drop(id);',
    'await events.erase(id);',
    'core/access/delete-tenant',
  ],
  [
    'a deletion that was cut short cannot be done again',
    'admin.ts',
    'await events.drop(id);\n      // The tenant',
    'await tenants.delete(id);\n      await events.drop(id);\n      // The tenant',
    'core/access/delete-tenant',
  ],
  [
    'a key that is made meanwhile outlives its tenant',
    'admin.ts',
    'if ((await tenants.findById(tenant.id)) !== undefined) return',
    'if (tenant.id !== undefined) return',
    'core/access/delete-tenant',
  ],
  [
    'another tenant’s key can be revoked',
    'admin.ts',
    'await keys.list(tenant.id)',
    '(await Promise.all((await tenants.list()).map(({ id }) => keys.list(id)))).flat()',
  ],
  ['old secrets live for ever after a rotation', 'admin.ts', 'record.createdAt + overlap,', 'Infinity,'],
  ['the log keeps what looks like a token', 'credentials.ts', '|\\beyJ[\\w-]+(?:\\.[\\w-]*)*', ''],
]);

/** Limits in memory and in SQLite. */
export const LIMITERS = [
  ...mutantsOf('adapters/memory', [
    [
      'ids share a bucket',
      'limits.ts',
      'bucketsOf.set(id, buckets)',
      "bucketsOf.set('', buckets)",
      stores('rate limiter: memory'),
    ],
    [
      'a look begins a bucket',
      'limits.ts',
      'if (cost !== 0) bucketsOf',
      'bucketsOf',
      stores('rate limiter: memory'),
    ],
    [
      'nothing is forgotten',
      'limits.ts',
      'bucketsOf.delete(id)',
      'bucketsOf.get(id)',
      stores('rate limiter: memory'),
    ],
  ]),
  ...mutantsOf('adapters/sqlite', [
    [
      'a limiter forgets',
      'writes/buckets.ts',
      'return { used: JSON.parse(used) as number[], updatedAt: updated_at };',
      'return fullBuckets(now + 0 * (used.length + updated_at));',
      stores('rate limiter: sqlite'),
    ],
  ]),
];
