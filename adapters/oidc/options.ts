/** What is called of the package `openid-client`, which is installed by who uses it. */
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
  | 'discovery'
  | 'fetchUserInfo'
  | 'randomNonce'
  | 'randomPKCECodeVerifier'
  | 'randomState'
  | 'refreshTokenGrant'
>;

/** An identity provider, and this server as its client. */
export interface OidcOptions {
  /** The package itself: `import * as client from 'openid-client'`. */
  readonly client: OpenIdClient;
  /** Its issuer: an https address, or http on a loopback host. */
  readonly issuer: string;
  /** How the provider calls this server. */
  readonly clientId: string;
  /** By which this server shows the provider that it is the one. */
  readonly clientSecret: string;
  /** What logins and refresh tokens are sealed by, the same in all processes. Default the client's secret. */
  readonly sealingSecret?: string | undefined;
  /** The claim whose values give roles, such as `groups` or `realm_access.roles`. Default `groups`. */
  readonly claim?: string | undefined;
  /** What is asked for. Default `openid profile email offline_access`. */
  readonly scope?: string | undefined;
}
