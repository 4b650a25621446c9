/**
 * An identity provider in a process of its own: `oidc-provider`, where whoever comes is signed in as the
 * person that the test has named, without a page to click through unless one is wanted. The test tells it
 * what to be by messages.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';

/** What a test may change. */
export interface ProviderState {
  /** Who signs in. */
  person: string;
  /** Whether a page asks who that is, as one does where nobody is known yet. */
  asks: boolean;
  /** The groups of each person, where it has any. */
  groups: Readonly<Record<string, readonly string[]>>;
  /** Whether the claim stands in ID tokens, and not only in what is said when asked. */
  inIdToken: boolean;
  /** Whether every connection is cut. */
  down: boolean;
  /** How far its clock is from ours, in milliseconds. */
  skewMs: number;
}

/** The client that a test registers. */
export interface ProviderClient {
  readonly redirectUris: readonly string[];
  readonly logoutUri: string;
}

/** How a token is made: its type, and whether by the key that everybody knows the provider by. */
interface TokenLook {
  readonly typ: string;
  readonly known: boolean;
}

/** What a test says, one answer each. */
export type ProviderOrder =
  | { readonly order: 'serve'; readonly client: ProviderClient }
  | { readonly order: 'set'; readonly state: Partial<ProviderState> }
  | { readonly order: 'seen' }
  | ({ readonly order: 'sign'; readonly payload: JWTPayload } & TokenLook);

/** What was asked of it since it began: how often each grant was tried, and the refresh tokens it gave. */
export interface ProviderSeen {
  readonly grants: Record<string, number>;
  readonly refreshTokens: string[];
}

interface Details {
  readonly uid: string;
  readonly prompt: { readonly name: string };
  readonly params: { readonly client_id: string };
  readonly session?: { readonly accountId: string };
}

/** What is used of the package, which is installed apart and has no types. */
interface Provider {
  readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
  callback(): (req: IncomingMessage, res: ServerResponse) => void;
  interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Details>;
  interactionFinished(req: IncomingMessage, res: ServerResponse, result: object): Promise<void>;
  on(event: string, listener: (it: { readonly jti: string }) => void): void;
}
type ProviderClass = new (issuer: string, options: object) => Provider;

const SCOPES = 'openid profile email offline_access';
const state: ProviderState = {
  person: 'ada',
  asks: false,
  groups: {},
  inIdToken: false,
  down: false,
  skewMs: 0,
};
const seen: ProviderSeen = { grants: {}, refreshTokens: [] };
const realNow = Date.now.bind(Date);
Date.now = () => realNow() + state.skewMs;

// The package is found from here, and not by the compiler, which may run where it is not installed.
const name = 'oidc-provider';
const { default: ProviderClass } = (await import(name)) as { default: ProviderClass };
const keys = await Promise.all([1, 2].map(() => generateKeyPair('RS256', { extractable: true })));
const jwks = { keys: [{ ...(await exportJWK(keys[0]!.privateKey)), kid: 'own', use: 'sig', alg: 'RS256' }] };

let provider: Provider | undefined;
const server = createServer((req, res) => {
  if (state.down || provider === undefined) return void req.socket.destroy();
  if (req.url?.startsWith('/interaction/') === true) return void interact(provider, req, res);
  provider.callback()(req, res);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;

/** A page of the provider, which loads nothing from elsewhere as those of the package do. */
const pageOf = (body: string) =>
  `<!doctype html><title>The provider</title><link rel="icon" href="data:,">${body}`;
const LOGIN_PAGE = pageOf('<form method="post"><button>Sign in at the provider</button></form>');
const SIGN_OUT = '<button form="op.logoutForm" name="logout" value="yes">Sign out of the provider</button>';

/** Lets who comes in, at once or by a click. */
async function interact(at: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { prompt, params, session } = await at.interactionDetails(req, res);
  if (prompt.name === 'login' && state.asks && req.method !== 'POST') {
    res.setHeader('Content-Type', 'text/html');
    return void res.end(LOGIN_PAGE);
  }
  if (prompt.name === 'login') {
    return at.interactionFinished(req, res, { login: { accountId: state.person } });
  }
  const grant = new at.Grant({ accountId: session!.accountId, clientId: params.client_id });
  grant.addOIDCScope(SCOPES);
  return at.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
}

function createProvider({ redirectUris, logoutUri }: ProviderClient): Provider {
  const made = new ProviderClass(issuer, {
    clients: [
      {
        ...{ client_id: 'dash', client_secret: 'a secret that only two know', redirect_uris: redirectUris },
        ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
        post_logout_redirect_uris: redirectUris,
        ...{ backchannel_logout_uri: logoutUri, backchannel_logout_session_required: true },
      },
    ],
    jwks,
    cookies: { keys: ['one'] },
    claims: { openid: ['sub', 'sid'], profile: ['preferred_username', 'groups'], email: ['email'] },
    // Its own guard calls nobody on loopback.
    fetch: (url: string, options: RequestInit) => fetch(url, { ...options, dispatcher: undefined } as object),
    findAccount: (_ctx: unknown, sub: string) => ({
      accountId: sub,
      claims: (use: string) => {
        const groups = use === 'id_token' && !state.inIdToken ? undefined : state.groups[sub];
        return { sub, preferred_username: `${sub} <b>of</b> test`, ...(groups && { groups }) };
      },
    }),
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx: { body: string }, form: string) => void (ctx.body = pageOf(form + SIGN_OUT)),
        postLogoutSuccessSource: (ctx: { body: string }) => void (ctx.body = pageOf('Signed out there')),
      },
    },
    interactions: { url: (_ctx: unknown, { uid }: Details) => `/interaction/${uid}` },
    rotateRefreshToken: true,
    pkce: { required: () => true },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 3600, RefreshToken: 86_400, Grant: 86_400 },
  });
  made.on('refresh_token.saved', ({ jti }) => void seen.refreshTokens.push(jti));
  return made;
}

/** Counts what is asked of the place where tokens are given, whatever comes of it. */
server.prependListener('request', (req: IncomingMessage) => {
  if (req.url !== '/token' || state.down) return;
  let text = '';
  const emit = req.emit.bind(req);
  req.emit = (event: string, ...args: unknown[]) => {
    if (event === 'data') text += String(args[0]);
    if (event === 'end') {
      const grant = new URLSearchParams(text).get('grant_type') ?? '';
      seen.grants[grant] = (seen.grants[grant] ?? 0) + 1;
    }
    return emit(event as never, ...(args as never[]));
  };
});

async function obey(order: ProviderOrder): Promise<unknown> {
  switch (order.order) {
    case 'serve':
      provider = createProvider(order.client);
      return undefined;
    case 'set':
      return void Object.assign(state, order.state);
    case 'seen':
      return seen;
    case 'sign': {
      const key = keys[order.known ? 0 : 1]!.privateKey;
      return new SignJWT(order.payload)
        .setProtectedHeader({ alg: 'RS256', kid: 'own', typ: order.typ })
        .sign(key);
    }
  }
}

process.on('message', (order: ProviderOrder) => {
  void obey(order).then((answer) => process.send!({ answer }));
});
process.once('disconnect', () => process.exit());
process.send!({ issuer });
