import { mutantsOf } from './mutant.ts';

const GATE = 'core/http/admin/gate';
const DESK = 'core/http/admin/desk';

/** Who may administer, and what is noted of it. */
export const ADMIN = mutantsOf('src/core', [
  [
    'a viewer makes keys',
    'http/admin/routes.ts',
    "path: '/v1/admin/keys/create/{tenantId}',\n    caller: 'admin'",
    "path: '/v1/admin/keys/create/{tenantId}',\n    caller: 'viewer'",
    'core/http/admin/routes',
  ],
  ['a link never gets old', 'access/pass.ts', 'now >= pass.expiresAt', 'now >= Infinity', GATE],
  ['a session may rest for ever', 'access/pass.ts', '< SESSION_IDLE_MS', '< Infinity', GATE],
  [
    'whoever comes second with a link comes in too',
    'passes.ts',
    "(await admins.remove(link.id, note('pass.end', link, by))) === undefined",
    "(await admins.remove(link.id, note('pass.end', link, by))) === null",
    GATE,
  ],
  [
    'any host will do',
    'http/admin/gate.ts',
    "if (!isLoopback(request)) throw new ApiError('misdirected');",
    '',
    GATE,
  ],
  ['a page of another origin may ask', 'http/admin/gate.ts', 'if (!isOwn || ', 'if (', GATE],
  [
    'a page of another port may ask',
    'http/admin/gate.ts',
    "(site !== undefined && site !== 'same-origin') || ",
    '',
    GATE,
  ],
  ['a form may ask', 'http/admin/gate.ts', ' || request.header(MARK_HEADER) !== MARK', '', GATE],
  [
    'a viewer may change',
    'http/admin/gate.ts',
    "caller === 'admin' ? pass.role === 'admin' :",
    "caller === 'admin' ? true :",
    GATE,
  ],
  [
    'who is for one tenant is for all',
    'http/admin/gate.ts',
    'tenantIds === null || tenantIds.includes(id)',
    'true || tenantIds.includes(id)',
    GATE,
  ],
  [
    'an admin of one tenant makes others',
    'http/admin/gate.ts',
    "role === 'admin' && tenantIds === null",
    "role === 'admin'",
    GATE,
  ],
  [
    'an admin of one tenant changes its plan',
    'http/admin/desk.ts',
    "if (isOwners && !isOwner(pass)) throw new ApiError('roleTooLow');",
    '',
    GATE,
  ],
  [
    'a look at usage takes a token',
    'http/admin/desk.ts',
    '(await stores.limits.take(id, windows, 0))',
    '(await stores.limits.take(id, windows, [1, 1]))',
    DESK,
  ],
  [
    'what a verifier says of a token may hold a secret',
    'http/admin/desk.ts',
    'hideCredentials(reasonOf(error))',
    'reasonOf(error)',
    DESK,
  ],
  [
    'a tenant goes without having been named twice',
    'http/admin/desk.ts',
    'if (said !== alias)',
    'if (said === undefined)',
    DESK,
  ],
  [
    'questions have no end',
    'http/admin/handler.ts',
    'if (signals.size >= ASKED_AT_ONCE_MAX)',
    'if (signals.size >= Infinity)',
    DESK,
  ],
  ['a place is never left', 'http/admin/handler.ts', 'signals?.delete(signal);', '', DESK],
  [
    'an audit page has one more',
    'http/admin/handler.ts',
    'found.slice(0, AUDIT_PAGE_SIZE)',
    'found.slice(0)',
    DESK,
  ],
  [
    'a change is noted as of the program',
    'access/admin.ts',
    '{ ...by, at: runtime.now()',
    '{ ...PROGRAM, at: runtime.now()',
    DESK,
  ],
  [
    'a new sign-in leaves the old session alive',
    'passes.ts',
    'if (before !== undefined) await end(before, by);',
    '',
    GATE,
  ],
  [
    'a complement is said as what it is not',
    'filter/filter.ts',
    "said: said[1] ?? ''",
    'said: said[0]',
    DESK,
  ],
  [
    'who has left holds a place',
    'http/admin/handler.ts',
    'if (other.aborted) signals.delete(other);',
    ';',
    'core/http/admin/handler',
  ],
  [
    'a key for programs signs itself out',
    'http/admin/sign-in.ts',
    "if (pass.kind !== 'session')",
    "if (pass.kind === 'link')",
    'core/http/admin/handler',
  ],
  [
    'more is told where there is no more',
    'http/admin/handler.ts',
    'found.length > AUDIT_PAGE_SIZE ?',
    'found.length >= AUDIT_PAGE_SIZE ?',
    'core/http/admin/handler',
  ],
  [
    'a session of a tenant that is gone tells nothing',
    'http/admin/session-view.ts',
    'tenant === undefined ? [] : [tenant.alias]',
    '[tenant!.alias]',
    'core/http/admin/handler',
  ],
  ['two cookies of a name', 'http/admin/cookies.ts', 'found.length === 1 ?', 'found.length > 0 ?', GATE],
  [
    'an admin of some sets for how long events are kept',
    'http/admin/desk.ts',
    ", 'retentionDays'];",
    '];',
    GATE,
  ],
  [
    'usage shows keys that open nothing',
    'http/admin/desk.ts',
    '.filter(({ revokedAt }) => revokedAt === null)',
    '',
    DESK,
  ],
  ['each use of a pass is a write', 'passes.ts', '>= TOUCH_INTERVAL_MS', '>= 0', 'core/passes'],
  [
    'a full disk refuses a pass',
    'passes.ts',
    'admins.touch(pass.id, now).catch(() => undefined)',
    'admins.touch(pass.id, now)',
    'core/passes',
  ],
  ['sessions are listed as keys', 'passes.ts', "({ kind }) => kind === 'key'", '() => true', 'core/passes'],
]);

const SERVING = 'adapters/dashboard/serving';

/** How the pages are served. */
export const DASHBOARD = mutantsOf('adapters/dashboard', [
  ['pages of any name', 'index.ts', 'if (refused !== undefined) return refused;', '', SERVING],
  ['a page is posted to', 'index.ts', 'isRead ? fileOf(path) : undefined', 'fileOf(path)', SERVING],
  ['the head of a page has a body', 'index.ts', "request.method === 'HEAD' ? '' : text", 'text', SERVING],
  ['pages may be framed', 'index.ts', "frame-ancestors 'none'; ", '', SERVING],
]);
