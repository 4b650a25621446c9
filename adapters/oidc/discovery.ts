import { isJwksUrl } from '../../src/store-kit.ts';
import { createLogoutReader } from './logout-token.ts';
import type { OidcOptions } from './options.ts';
import { withCircuitBreaker } from './circuit-breaker.ts';
import { providerFetch } from './provider-fetch.ts';

const TIMEOUT_MS = 5_000;
/** How far the provider's clock may be off. */
const TOLERANCE_SECONDS = 60;

/**
 * Makes a function that reads the provider's metadata on first use and keeps it once a read has succeeded.
 */
export function createDiscovery({ client, issuer, clientId, clientSecret }: OidcOptions) {
  const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
  const metadata = { client_secret: clientSecret, [client.clockTolerance]: TOLERANCE_SECONDS };
  const isPlain = new URL(issuer).protocol === 'http:';

  async function ask() {
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      metadata,
      (as, ...rest) => {
        const isBasic = as.token_endpoint_auth_methods_supported?.includes('client_secret_basic') ?? true;
        (isBasic ? basic : post)(as, ...rest);
      },
      {
        timeout: TIMEOUT_MS / 1000,
        [client.customFetch]: providerFetch,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so as a warning: loopback only
        execute: isPlain ? [client.allowInsecureRequests] : [],
      },
    );
    const { issuer: named, jwks_uri: jwksUri = '' } = config.serverMetadata();
    // Logout tokens are verified with these keys.
    if (!isJwksUrl(jwksUri)) throw new Error('', { cause: new Error('its jwks_uri is not https') });
    const times = { timeoutMs: TIMEOUT_MS, toleranceSeconds: TOLERANCE_SECONDS };
    return { config, readLogout: createLogoutReader({ issuer: named, clientId, jwksUri, ...times }) };
  }

  let found: ReturnType<typeof ask> | undefined;
  const find = () => {
    found ??= ask().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
  return withCircuitBreaker(find, () => true);
}
