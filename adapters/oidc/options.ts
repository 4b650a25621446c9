/** The functions of `openid-client` that we call; the application installs that package. */
export type OpenIdClient = Pick<
  typeof import('openid-client'),
  | 'allowInsecureRequests'
  | 'authorizationCodeGrant'
  | 'buildAuthorizationUrl'
  | 'buildEndSessionUrl'
  | 'calculatePKCECodeChallenge'
  | 'ClientSecretBasic'
  | 'ClientSecretPost'
  | 'clockTolerance'
  | 'customFetch'
  | 'discovery'
  | 'fetchUserInfo'
  | 'randomNonce'
  | 'randomPKCECodeVerifier'
  | 'randomState'
  | 'refreshTokenGrant'
>;

/** Which identity provider to use, and how this server is registered there. */
export interface OidcOptions {
  /** The package itself: `import * as client from 'openid-client'`. */
  readonly client: OpenIdClient;
  /** The provider's issuer: an https URL, or http on a loopback host. */
  readonly issuer: string;
  /** The client id of this server at the provider. */
  readonly clientId: string;
  /** The client secret, with which this server authenticates to the provider. */
  readonly clientSecret: string;
  /**
   * Encrypts pending logins, refresh and ID tokens; the same in all processes. Default: the client secret.
   */
  readonly sealingSecret?: string | undefined;
  /** The provider's name for people, as in “Sign in with …”. Default: the host of the issuer. */
  readonly name?: string | undefined;
  /** The claim whose values are mapped to roles, such as `realm_access.roles`. Default `groups`. */
  readonly claim?: string | undefined;
  /** The scope of the authorization request. Default `openid profile email offline_access`. */
  readonly scope?: string | undefined;
}
