import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { ApiError, isApiError, requireOptions } from '../../src/index.ts';
import {
  isJwksUrl,
  type Identity,
  type IdentityProvider,
  type Login,
  type UserClaims,
} from '../../src/store-kit.ts';
import { nameOf, TEXT_PATTERN, valuesOf, type Claims } from './claims.ts';
import { createDiscovery } from './discovery.ts';
import type { OidcOptions } from './options.ts';
import { answerOf, away, isAway } from './refusal.ts';
import { createSeal } from './seal.ts';
import { RETRY_MS } from './circuit-breaker.ts';

/** A pending login, kept sealed while the browser is at the provider. */
interface KeptLogin {
  readonly login: Login;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

const SCOPE = 'openid profile email offline_access';
/** The lifetime of an access token when the provider does not state one. */
const LASTS_SECONDS = 300;
/** A longer ID token is not kept: on sign-out it becomes part of a URL. */
const ID_TOKEN_LENGTH_MAX = 4_096;

/**
 * Signs people in with OpenID Connect: authorization code, PKCE, state, nonce. Sends no request by itself.
 */
export function oidcProvider(options: OidcOptions): IdentityProvider {
  requireOptions('oidcProvider', options, [], {
    client: { such: "* of 'openid-client'", fields: ['discovery'] },
    issuer: { such: "'https://login.example'", type: 'string' },
    clientId: { such: "'event-query'", type: 'string' },
    clientSecret: { such: 'process.env.OIDC_CLIENT_SECRET', type: 'string' },
  });
  const { client, issuer, name, claim = 'groups', scope = SCOPE } = options;
  // Claims are trusted because of the TLS connection: over plain HTTP a man in the middle could forge them.
  if (!URL.canParse(issuer) || !isJwksUrl(new URL(issuer).href)) {
    const right = "an https address, such as 'https://login.example', or http on this machine";
    throw new TypeError(`oidcProvider: issuer takes ${right}`);
  }
  const seal = createSeal(options.sealingSecret ?? options.clientSecret);
  const discover = createDiscovery(options);
  const useOf = ({ issuer: of, subject }: Pick<Identity, 'issuer' | 'subject'>) => `refresh ${of} ${subject}`;
  const hintOf = ({ issuer: of, subject }: Pick<Identity, 'issuer' | 'subject'>) => `hint ${of} ${subject}`;

  function open(sealed: string): KeptLogin | undefined {
    const text = seal.open(sealed, 'login');
    return text === undefined ? undefined : (JSON.parse(text) as KeptLogin);
  }

  /** The claims of the ID token, and those of the userinfo endpoint where it lacks the role claim. */
  async function toClaims(config: Configuration, tokens: Tokens, known?: string): Promise<UserClaims> {
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
    name: name ?? new URL(issuer).host,
    claim,
    retryMs: RETRY_MS,
    open: (sealed, query) => {
      const kept = open(sealed);
      const states = new URLSearchParams(query).getAll('state');
      return kept?.state === states.join() ? kept.login : undefined;
    },
    begin: async (login, { another } = { another: false }) => {
      const { config } = await discover();
      const [nonce, verifier] = [client.randomNonce(), client.randomPKCECodeVerifier()];
      const state = `${login.slot}-${client.randomState()}`;
      const prompts = [
        ...(another ? [accountPrompt(config)] : []),
        // Without the consent prompt, providers issue no refresh token.
        ...(scope.split(' ').includes('offline_access') ? ['consent'] : []),
      ];
      const url = client.buildAuthorizationUrl(config, {
        ...{ redirect_uri: login.redirectUri, scope, state, nonce, code_challenge_method: 'S256' },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        ...(prompts.length === 0 ? {} : { prompt: prompts.join(' ') }),
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
      // After a change of the sealing secret, the token cannot be opened.
      const token = refreshToken === null ? undefined : seal.open(refreshToken, useOf(identity));
      if (token === undefined) return undefined;
      const { config } = await discover();
      // A refresh token goes only to the provider that issued it.
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
      // Without the hint the provider asks the user which account to sign out.
      const shown = hint === undefined ? {} : { id_token_hint: hint };
      return client.buildEndSessionUrl(config, { ...shown, post_logout_redirect_uri: back }).href;
    },
    readLogout: async (token) => (await discover()).readLogout(token),
  };
}

/** The one provider that refuses the prompt `login` and does not say which ones it takes. */
const GOOGLE = 'https://accounts.google.com';

/**
 * The prompt at which a person can choose another account: the one for that, where the provider says that it
 * has it. Anywhere else the person signs in again, and may do so as somebody else.
 */
function accountPrompt(config: Configuration): string {
  const { issuer, prompt_values_supported: known } = config.serverMetadata();
  const canSelect = Array.isArray(known) ? known.includes('select_account') : issuer === GOOGLE;
  return canSelect ? 'select_account' : 'login';
}
