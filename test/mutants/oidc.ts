import { mutantsOf, stores, type Killer } from './mutant.ts';

const GATE = 'core/http/admin/gate';
const RIGHTS = 'core/identity/rights';
const IDENTITIES = 'core/identity/identities';
const KEEPER = 'identity/keeper.ts';
const signIn = (tests: string): Killer => ({ file: 'test/oidc/sign-in.test.ts', tests });
const logout = (tests: string): Killer => ({ file: 'test/oidc/rights.test.ts', tests });

/** Who signs in by an identity provider. The tests of a real one need `npm ci --prefix test/oidc`. */
export const OIDC = [
  ...mutantsOf('src/core', [
    [
      'who signs in is sent anywhere',
      'http/admin/return-path.ts',
      'RETURN_PATTERN.test(asked)',
      "asked.startsWith('/')",
    ],
    [
      'a page of another origin begins a login',
      'http/admin/sign-in.ts',
      'gate.checkOrigin(call.request);\n      const { returnTo }',
      'const { returnTo }',
      GATE,
    ],
    [
      'a page of another origin signs in',
      'http/admin/sign-in.ts',
      'gate.checkOrigin(call.request);\n      const body',
      'const body',
      GATE,
    ],
    [
      'who may look at a tenant changes it, being an admin of another',
      'http/admin/gate.ts',
      "if (caller === 'admin' && !isAdminOf(pass, tenant)) throw new ApiError('roleTooLow');",
      '',
      GATE,
    ],
    ['any value gives a role', 'identity/rights.ts', '&& values.includes(rule.value)', '', RIGHTS],
    [
      'who has no value is a viewer of nothing',
      'identity/rights.ts',
      'viewedIds?.length === 0 ? undefined',
      'viewedIds?.length === -1 ? undefined',
      RIGHTS,
    ],
    [
      'each process asks the provider',
      KEEPER,
      'if (leased !== undefined) return ask(leased);',
      'return ask(leased ?? seen);',
      IDENTITIES,
    ],
    ['somebody else goes on with a session', KEEPER, ' && told.subject === identity.subject', '', IDENTITIES],
    [
      'what a provider said holds while it is away',
      KEEPER,
      'if (now < identity.holdsUntil) return pass;',
      'return pass;',
      IDENTITIES,
    ],
    [
      'a clock that steps back gives time',
      'identity/identity.ts',
      ' || refreshAt - now > REFRESH_MS',
      '',
      IDENTITIES,
    ],
    [
      'a login never gets old',
      'identity/identities.ts',
      ' || runtime.now() >= login.expiresAt',
      '',
      IDENTITIES,
    ],
    [
      'a logout that was kept ends what began later',
      'identity/identity.ts',
      'createdAt <= ended.at',
      'createdAt <= Infinity',
      logout('not those of later'),
    ],
    [
      'a logout ends no session whose id at the provider is not known',
      'identity/identity.ts',
      ' && identity.providerSession !== null',
      '',
      IDENTITIES,
    ],
    [
      'what a provider said is lost while the store is away',
      KEEPER,
      'await persist(() => apply(pass, told))',
      'await apply(pass, told)',
      IDENTITIES,
    ],
    [
      'a session that another has renewed meanwhile has ended',
      KEEPER,
      'return next && renew(next);',
      'return undefined;',
      IDENTITIES,
    ],
    [
      'a login is finished as often as somebody likes',
      'identity/turnstile.ts',
      "if (spent.has(id)) throw new ApiError('loginLost');",
      '',
      'core/identity/turnstile',
    ],
    [
      'strangers ask the provider without end',
      'identity/turnstile.ts',
      'buckets = taken.buckets;',
      '',
      'core/identity/turnstile',
    ],
    [
      'the notes know people by the names that they choose',
      'passes.ts',
      'name, ...person }',
      'name }',
      IDENTITIES,
    ],
  ]),
  ...mutantsOf('adapters', [
    [
      'two change a session that both have read',
      'memory/admins.ts',
      'if (pass?.identity?.version !== version)',
      'if (pass?.identity === undefined)',
      stores('admin store: memory.*renewed by one'),
    ],
    [
      'an answer to another login uses this one up',
      'oidc/provider.ts',
      'kept?.state === states.join() ? kept.login : undefined',
      'kept?.login',
      signIn('whose state was changed'),
    ],
    [
      'the nonce of another login will do',
      'oidc/provider.ts',
      '[client.randomNonce(),',
      "['A'.repeat(43),",
      signIn('another nonce'),
    ],
    [
      'the answer of another issuer will do',
      'oidc/provider.ts',
      'back.search = query;',
      'back.search = query.replace(/iss=[^&]*/, `iss=${encodeURIComponent(issuer)}`);',
      signIn('of another issuer'),
    ],
    [
      'a provider that is away is asked by whoever comes',
      'oidc/sparing.ts',
      'if (before !== undefined) throw',
      'if (before === null) throw',
      'adapters/oidc/provider',
    ],
    [
      'a logout token for somebody else will do',
      'oidc/logout-token.ts',
      'audience: clientId,',
      '',
      logout('of another audience'),
    ],
    [
      'an ID token ends sessions',
      'oidc/logout-token.ts',
      ' || nonce !== undefined',
      '',
      logout('an ID token'),
    ],
    [
      'a sealed login opens as a token',
      'oidc/seal.ts',
      '})\n          .setAAD(Buffer.from(use))',
      "})\n          .setAAD(Buffer.from('login'))",
      'adapters/oidc/seal',
    ],
    [
      'a name ends with half of a character',
      'oidc/claims.ts',
      "slice(0, NAME_LENGTH_MAX).replace(/[\\p{Cc}\\p{Cf}\\p{Cs}]/gu, ' ')",
      "replace(/[\\p{Cc}\\p{Cf}\\p{Cs}]/gu, ' ').slice(0, NAME_LENGTH_MAX)",
      'adapters/oidc/claims',
    ],
    [
      'one pass that jsonb refuses keeps all others out',
      'postgres/admins.ts',
      '$3::jsonb::json',
      '$3',
      { file: 'test/adapters/postgres/seams.test.ts', tests: 'cannot be looked into' },
    ],
  ]),
];
