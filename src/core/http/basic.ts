const BASIC_PATTERN = /^Basic +([A-Za-z0-9+/]{1,1024}={0,2})$/i;

/** The Web's own decoder of Base64, which every runtime has. */
const { atob } = globalThis as unknown as { atob: (base64: string) => string };

/**
 * The user name in an `Authorization` header of Basic credentials (RFC 7617), whatever the password is.
 * Undefined for any other header.
 */
export function userOfBasic(authorization: string): string | undefined {
  const encoded = BASIC_PATTERN.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  try {
    const [user] = atob(encoded).split(':');
    return user;
  } catch {
    // The length of the text is none of Base64.
    return undefined;
  }
}
