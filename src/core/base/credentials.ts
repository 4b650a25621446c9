/** The secrets of keys and passes, and access tokens, whole or clipped. */
const CREDENTIAL_PATTERN = /\beq[aksl]_[0-9a-f]+|\beyJ[\w-]+(?:\.[\w-]*)*/g;

/**
 * Replaces what looks like a credential. People send one in the wrong place, in a query string or a body; the
 * text that tells them so, and the log, must not keep it.
 */
export function hideCredentials(text: string): string {
  return text.replace(CREDENTIAL_PATTERN, '[hidden]');
}
