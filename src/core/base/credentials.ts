/** Matches the texts of keys and credentials, and access tokens, complete or cut off. */
const CREDENTIAL_PATTERN = /\beq[akslw]_[0-9a-f]+|\beyJ[\w-]+(?:\.[\w-]*)*/g;

/**
 * Replaces everything that looks like a credential. Clients sometimes send one in the wrong place, such as a
 * query string or a body. Neither the error text nor the log may repeat it.
 */
export function hideCredentials(text: string): string {
  return text.replace(CREDENTIAL_PATTERN, '[hidden]');
}
