/** What proxies make as ids: UUIDs, hexadecimal numbers, ULIDs, and parts joined by the usual marks. */
const ID_PATTERN = /^[\w.:+/=@-]{1,128}$/;

/**
 * The id that a trusted proxy gave a request, for the answer and the log. Undefined where it gave none, and
 * where it is too long or holds other characters, since a proxy may pass on what a client wrote.
 */
export function toRequestId(header: string | undefined): string | undefined {
  return header !== undefined && ID_PATTERN.test(header) ? header : undefined;
}
