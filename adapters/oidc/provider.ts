import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { ApiError, isApiError } from '../../src/index.ts';
import {
  isJwksUrl,
  type Identity,
  type IdentityProvider,
  type Login,
  type Told,
} from '../../src/store-kit.ts';
import { nameOf, valuesOf, type Claims } from './claims.ts';
import { createDiscovery } from './discovery.ts';
import type { OidcOptions } from './options.ts';
import { answerOf, away, isAway } from './refusal.ts';
import { createSeal } from './seal.ts';
import { RETRY_MS } from './circuit-breaker.ts';

/** What is kept of a login while the browser is at the provider. */
interface KeptLogin {
  readonly login: Login;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

const SCOPE = 'openid profile email offline_access';
/** For providers that do not say how long an access token lasts. */
const LASTS_SECONDS = 300;
/** The longest ID token that is kept: it goes back in an address. */
const ID_TOKEN_LENGTH_MAX = 4_096;
/** What names somebody, or a session of theirs: it is kept, and compared. */
const TEXT_PATTERN = /^[ -~]{1,255}$/;

/** Signs people in by OpenID Connect: authorization code, PKCE, state and nonce. It asks nothing yet. */
export function oidcProvider(options: OidcOptions): IdentityProvider {
  const { client, issuer, claim = 'groups', scope = SCOPE } = options;
  // Whoever is in between could say who somebody is: what is said is believed for the connection's sake.
  if (!isJwksUrl(new URL(issuer).href))
    throw new TypeError('The issuer takes an https address, or http on this machine.');
  const seal = createSeal(options.sealingSecret ?? options.clientSecret);
  const discover = createDiscovery(options);
  const useOf = ({ issuer: of, subject }: Pick<Identity, 'issuer' | 'subject'>) => `refresh ${of} ${subject}`;
  const hintOf = ({ issuer: of, subject }: Pick<Identity, 'issuer' | 'subject'>) => `hint ${of} ${subject}`;

  function open(sealed: string): KeptLogin | undefined {
    const text = seal.open(sealed, 'login');
    return text === undefined ? undefined : (JSON.parse(text) as KeptLogin);
  }

  /** What tokens say, and where they leave out the claim, what the provider says when it is asked. */
  async function toClaims(config: Configuration, tokens: Tokens, known?: string): Promise<Told> {
    const claims: Claims | undefined = tokens.claims();
    const subject = tokens.claims()?.sub ?? known ?? '';
    let info: Claims | undefined;
    let values = valuesOf(claims, claim);
    const metadata = config.serverMetadata();
    if (values === undefined && metadata.userinfo_endpoint !== undefined) {
      info = await client.fetchUserInfo(config, tokens.access_token, subject);
      values = valuesOf(info, claim);
    }
    if (!TEXT_PATTERN.test(subject)) throw new ApiError('signInRefused', ['it names nobody']);
    const told = { issuer: metadata.issuer, subject };
    const { refresh_token: refreshToken, id_token: idToken } = tokens;
    const isShort = idToken !== undefined && idToken.length <= ID_TOKEN_LENGTH_MAX;
    const sid = claims?.sid;
    return {
      ...told,
      name: nameOf(claims) ?? nameOf(info) ?? subject,
      values: values ?? [],
      providerSession: typeof sid === 'string' && TEXT_PATTERN.test(sid) ? sid : null,
      refreshToken: refreshToken === undefined ? null : seal.close(refreshToken, useOf(told)),
      idToken: isShort ? seal.close(idToken, hintOf(told)) : null,
      lastsMs: (tokens.expiresIn() ?? LASTS_SECONDS) * 1000,
    };
  }

  return {
    name: new URL(issuer).host,
    claim,
    retryMs: RETRY_MS,
    open: (sealed, query) => {
      const kept = open(sealed);
      const states = new URLSearchParams(query).getAll('state');
      return kept?.state === states.join() ? kept.login : undefined;
    },
    begin: async (login) => {
      const { config } = await discover();
      const [nonce, verifier] = [client.randomNonce(), client.randomPKCECodeVerifier()];
      const state = `${login.slot}-${client.randomState()}`;
      const url = client.buildAuthorizationUrl(config, {
        ...{ redirect_uri: login.redirectUri, scope, state, nonce, code_challenge_method: 'S256' },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        // Without it no provider gives what a session is refreshed by.
        ...(scope.split(' ').includes('offline_access') ? { prompt: 'consent' } : {}),
      });
      const kept: KeptLogin = { login, state, nonce, verifier };
      return { url: url.href, sealed: seal.close(JSON.stringify(kept), 'login') };
    },
    finish: async (sealed, query) => {
      const kept = open(sealed);
      if (kept === undefined) throw new ApiError('loginLost');
      const { config } = await discover();
      const back = new URL(kept.login.redirectUri);
      back.search = query;
      try {
        const tokens = await client.authorizationCodeGrant(config, back, {
          pkceCodeVerifier: kept.verifier,
          expectedState: kept.state,
          expectedNonce: kept.nonce,
          idTokenExpected: true,
        });
        return await toClaims(config, tokens);
      } catch (error) {
        if (isApiError(error)) throw error;
        if (isAway(error)) throw away(error);
        throw new ApiError('signInRefused', [answerOf(error) ?? 'its answer is not one to this sign-in']);
      }
    },
    refresh: async (identity) => {
      const { subject, refreshToken } = identity;
      // Where the secret was changed nothing opens any more.
      const token = refreshToken === null ? undefined : seal.open(refreshToken, useOf(identity));
      if (token === undefined) return undefined;
      const { config } = await discover();
      // Another provider than the one that gave it must not see it.
      if (config.serverMetadata().issuer !== identity.issuer) return undefined;
      try {
        return await toClaims(config, await client.refreshTokenGrant(config, token), subject);
      } catch (error) {
        if (answerOf(error) === 'invalid_grant') return undefined;
        throw away(error);
      }
    },
    signOutUrl: async (identity, back) => {
      const { config } = await discover();
      const { issuer: named, end_session_endpoint: place } = config.serverMetadata();
      if (place === undefined || named !== identity.issuer) return undefined;
      const { idToken } = identity;
      const hint = idToken === null ? undefined : seal.open(idToken, hintOf(identity));
      // Without it the provider asks who that is.
      const shown = hint === undefined ? {} : { id_token_hint: hint };
      return client.buildEndSessionUrl(config, { ...shown, post_logout_redirect_uri: back }).href;
    },
    readLogout: async (token) => (await discover()).readLogout(token),
  };
}
