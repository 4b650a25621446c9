import { invalid } from '../base/errors.ts';
import type { Signal } from '../base/signal.ts';
import type { JwtSettings } from './tenant.ts';

/** The sender of a token that is not verified yet. */
export interface TokenBearer {
  /** The owner whose time slices the verification uses, such as the network of the sender. */
  readonly owner: string;
  /** Aborted when the sender no longer waits for the answer. */
  readonly signal?: Signal;
}

/** Verifies access tokens. */
export interface TokenVerifier {
  /**
   * Returns the `sub` claim of a token that the tenant's key has signed, within its validity period and for
   * the tenant's issuer and audience. Throws ApiError `invalidToken` for any other token, `unavailable` if
   * the keys cannot be fetched, `overloaded` if the bearer has too many tokens to verify.
   */
  verify(token: string, settings: JwtSettings, bearer?: TokenBearer): Promise<string>;
  /**
   * Converts the key of a PEM text or a certificate to SPKI PEM. Throws ApiError 400 that explains what is
   * wrong with any other text, such as a private key, and repeats nothing of it. Without it, tenants can only
   * configure a URL.
   */
  parsePublicKey?(text: string): Promise<string>;
}

/** The result of a token check. */
export type TokenCheck =
  | {
      /** The token is accepted. */
      readonly valid: true;
      /** The user whose events it may send. */
      readonly userId: string;
    }
  | {
      /** The token is refused. */
      readonly valid: false;
      /** Why the token is refused. */
      readonly error: string;
      /** Where the keys could not be read, so that no token was looked at. */
      readonly keys?: 'unread';
    };

/**
 * Returns the settings with their public key in the stored form. Throws ApiError (400) if it is not a key.
 */
export async function checkPublicKey(
  settings: JwtSettings,
  { parsePublicKey }: Pick<TokenVerifier, 'parsePublicKey'>,
): Promise<JwtSettings> {
  if (settings.publicKeyPem === undefined) return settings;
  if (parsePublicKey === undefined)
    throw invalid('jwt keys', 'nobody here can check a public key; name a JWKS URL');
  return { ...settings, publicKeyPem: await parsePublicKey(settings.publicKeyPem) };
}
