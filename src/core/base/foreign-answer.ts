/** A reader of a body, as the standard streams of the web have one. */
export interface ByteReader {
  /** Reads the next bytes; without a `value` at the end. */
  read(): Promise<{ readonly value?: Uint8Array | undefined }>;
  /** Gives up what is unread. */
  cancel(): Promise<void>;
}

/**
 * Reads what another server has answered, whatever its length. Resolves to undefined once it has more than
 * `bytesMax` bytes, and reads no further. Rejects as `read` does.
 */
export async function readAtMost(
  reader: ByteReader | undefined,
  bytesMax: number,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader!.read()) {
    length += piece.value.byteLength;
    if (length > bytesMax) {
      // The answer may never end, so its end is not waited for.
      void reader!.cancel().catch(() => undefined);
      return undefined;
    }
    pieces.push(piece.value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

const EXCERPT_LENGTH_MAX = 500;

/**
 * What an error repeats of a text from another server: at most 500 characters, and none that a terminal
 * obeys or that nobody sees.
 */
export function excerpt(text: string): string {
  const cut = text.length > EXCERPT_LENGTH_MAX ? `${text.slice(0, EXCERPT_LENGTH_MAX)}…` : text;
  const escape = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;
  return cut.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escape);
}

const UNKNOWN_SIGNER =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET_ISSUER)_.*)$/;

/**
 * Why the connection to a server failed, where the words of the TLS library do not say what to do; undefined
 * for other reasons. `cause` is the cause of what `fetch` threw.
 */
export function describeTlsFault(cause: unknown): string | undefined {
  const { code = '', message = '', reason } = Object(cause) as Record<string, string | undefined>;
  if (UNKNOWN_SIGNER.test(code))
    return (
      'nothing that Node trusts has signed its certificate; if you trust the server, name a file with the ' +
      'certificate in NODE_EXTRA_CA_CERTS'
    );
  // What a server of another protocol sends first is no record of TLS.
  if (/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/.test(code))
    return 'it does not speak TLS; its URL may begin with http://';
  // A server of TLS closes a connection on which it is asked in plain HTTP.
  if (code === 'UND_ERR_SOCKET' && message === 'other side closed')
    return 'it closed the connection without an answer; if it speaks TLS, its URL begins with https://';
  return code.startsWith('ERR_SSL_') ? `TLS fails: ${reason ?? code}` : undefined;
}
