import { mutantsOf } from './mutant.ts';

const LIMITER = 'leased-limiter.ts';
const BY = 'core/access/leased-limiter';
const TOKENS = 'token-bucket.ts';
const AWAY = 'adapters/redis/away';

/** Tokens that are taken ahead. */
export const LEASES = mutantsOf('src/core/access', [
  ['who leases leaves no reserve', 'lease.ts', 'Math.ceil((limit * LEASE_MS) / windowMs)', '0', BY],
  [
    'the reserve is rounded down',
    'lease.ts',
    'Math.ceil((limit * LEASE_MS) / windowMs)',
    'Math.floor((limit * LEASE_MS) / windowMs)',
    BY,
  ],
  ['leases never end', 'lease.ts', 'now.elapsed - askedAt.elapsed <= LEASE_MS &&', '', BY],
  ['a clock that steps back prolongs leases', 'lease.ts', 'wallMs >= 0 && wallMs <= LEASE_MS', 'true', BY],
  ['a clock that steps back a little ends no lease', 'lease.ts', 'wallMs >= 0 && ', '', BY],
  ['small limits are leased', 'lease.ts', 'limit < LEASED_LIMIT_MIN ||', '', BY],
  ['short windows are leased', 'lease.ts', ' || windowMs < MINUTE_MS)', ')', BY],
  ['a block is a tenth of a limit', 'lease.ts', 'BLOCK_SHARE = 0.01', 'BLOCK_SHARE = 0.1', BY],
  ['blocks do not grow', 'lease.ts', 'return lease.size * 2;', 'return 1;', BY],
  ['blocks never shrink', 'lease.ts', 'lease.size - fits(lease.left, lease.cost)', 'lease.size', BY],
  ['only the first window is spent', 'lease.ts', 'left[i]! -= cost[i]!;', 'left[0]! -= cost[0]!;', BY],
  ['what is left here is not told', 'lease.ts', 'remaining: remaining + left[i]!,', 'remaining,', BY],
  ['each who waits fetches', LIMITER, 'if (holder.fetching !== undefined) return;', '', BY],
  [
    'those who wait do not share',
    LIMITER,
    'nextSize(holder.lease, now()), own',
    'nextSize(holder.lease, now())',
    BY,
  ],
  ['a late block serves anybody', LIMITER, 'if (served >= own && !isLive(lease, arrivedAt)) return;', '', BY],
  ['who waits gets nothing from a late block', LIMITER, 'served >= own && ', '', BY],
  ['nothing is handed back', LIMITER, 'if (isWorthIt) await', 'if (!isWorthIt) await', BY],
  ['it is leased after the end', LIMITER, 'isTaking(cost) && !stopped &&', 'isTaking(cost) &&', BY],
  ['a changed plan uses the old lease', LIMITER, '&& isSameLimit(known.windows, windows)', '', BY],
  ['erased keys keep their lease', LIMITER, 'for (const id of ids) holders.delete(id);', '', BY],
  ['any number of keys is remembered', LIMITER, ' || holders.size < HOLDERS_MAX', ' || true', BY],
  ['nobody is forgotten', LIMITER, '    sweep();\n', '', BY],
  ['what came back is given twice', TOKENS, ' - limit * (seenAt - cost.takenAt)', '', BY],
  ['a reserve can be taken', TOKENS, '(limit - reserve) * windowMs;', 'limit * windowMs;', BY],
  [
    'more is given back than was taken',
    TOKENS,
    'Math.max(0, used[i]! + unitsOf',
    '(used[i]! + unitsOf',
    'core/access/token-bucket',
  ],
]);

/** The limiter over Redis, while Redis is away. */
export const REDIS = mutantsOf('adapters/redis', [
  ['whoever is let in is counted', 'limits.ts', "if (onFailure === 'local') local", 'local', AWAY],
  ['each failure is told', 'limits.ts', 'if (before !== away) onChange', 'onChange', AWAY],
  ['what is erased counts on', 'limits.ts', 'for (const id of ids) local.delete(id);', '', AWAY],
  ['an erasure that failed is done', 'limits.ts', 'Promise.reject(unavailable(error))', 'undefined', AWAY],
  [
    'Redis gets a hundred times as long',
    'limits.ts',
    'within(timeoutMs, run(',
    'within(timeoutMs * 100, run(',
    AWAY,
  ],
  ['timers stay', 'limits.ts', '.finally(() => clearTimeout(timer))', '', AWAY],
  [
    'Redis rests once only',
    'limits.ts',
    'awaySince = away ? performance.now()',
    'awaySince = away ? (awaySince ?? performance.now())',
    AWAY,
  ],
]);
