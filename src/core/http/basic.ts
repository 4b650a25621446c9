import { bytesOfBase64 } from './base64.ts';

const BASIC_PATTERN = /^Basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i;

/**
 * The user name in an `Authorization` header of Basic credentials (RFC 7617), whatever the password is.
 * Undefined for any other header.
 */
export function userOfBasic(authorization: string): string | undefined {
  const encoded = BASIC_PATTERN.exec(authorization)?.[1];
  return encoded === undefined ? undefined : bytesOfBase64(encoded)?.split(':')[0];
}
