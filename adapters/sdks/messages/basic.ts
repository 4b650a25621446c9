import type { RoutedRequest } from '../../../src/index.ts';
import { bytesOfBase64 } from './base64.ts';

const BASIC_PATTERN = /^Basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i;

/**
 * The user name in an `Authorization` header of Basic credentials (RFC 7617), whatever the password is.
 * Undefined for any other header.
 */
export function userOfBasic(authorization: string): string | undefined {
  return credentialsOf(authorization)?.split(':')[0];
}

/** The password in such a header; empty where there is none. */
export function passwordOfBasic(authorization: string): string | undefined {
  return credentialsOf(authorization)?.split(':').slice(1).join(':');
}

function credentialsOf(authorization: string): string | undefined {
  const encoded = BASIC_PATTERN.exec(authorization)?.[1];
  // Undefined too where the length of the text is none of Base64.
  const bytes = encoded === undefined ? undefined : bytesOfBase64(encoded);
  return bytes && String.fromCharCode(...bytes);
}

/** The write key of Segment and RudderStack: the user name of Basic credentials. */
export function writeKeyOf({ request }: RoutedRequest): string | undefined {
  return userOfBasic(request.header('authorization') ?? '');
}
