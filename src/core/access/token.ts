import { invalid } from '../base/errors.ts';
import type { Signal } from '../base/signal.ts';
import type { JwtSettings } from './tenant.ts';

/** Who brings a token, before anybody knows whether it holds. */
export interface TokenBearer {
  /** Whose turns it takes to verify it, such as the network that it comes from. */
  readonly owner: string;
  /** Whether anybody still waits for the answer. */
  readonly signal?: Signal;
}

/** Verifies access tokens. */
export interface TokenVerifier {
  /**
   * The `sub` claim of a token that is signed by the tenant's key and within its times, for its issuer and
   * audience. Throws ApiError `invalidToken` for any other, `unavailable` when the keys cannot be fetched,
   * `overloaded` where the bearer has too many tokens to verify.
   */
  verify(token: string, settings: JwtSettings, bearer?: TokenBearer): Promise<string>;
  /**
   * The key of a PEM text or a certificate as SPKI PEM. Throws ApiError 400 that says what is wrong with any
   * other text, such as a private key, and repeats nothing of it. Absent: tenants can name an address only.
   */
  parsePublicKey?(text: string): Promise<string>;
}

/** Returns the settings with their public key as it is kept. Throws ApiError (400) for what is no key. */
export async function checkPublicKey(
  settings: JwtSettings,
  { parsePublicKey }: Pick<TokenVerifier, 'parsePublicKey'>,
): Promise<JwtSettings> {
  if (settings.publicKeyPem === undefined) return settings;
  if (parsePublicKey === undefined)
    throw invalid('jwt keys', 'nobody here can check a public key; name a JWKS URL');
  return { ...settings, publicKeyPem: await parsePublicKey(settings.publicKeyPem) };
}
