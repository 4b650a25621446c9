/** The Web's own decoders, which every runtime has. */
const { atob, TextDecoder } = globalThis as unknown as {
  readonly atob: (base64: string) => string;
  readonly TextDecoder: new (label: string, options: object) => { decode(bytes: Uint8Array): string };
};

/** The bytes that Base64 writes, one a character; undefined for any other text. */
export function bytesOfBase64(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}

/** Half a character beyond U+FFFF in three bytes, one a character here: no UTF-8, but CESU-8. */
const SURROGATE_PATTERN = /\xed([\xa0-\xbf])([\x80-\xbf])/g;

/**
 * The JSON whose UTF-8 a text in Base64 writes, in the alphabet of files or of URLs. Undefined for any other
 * text. Mixpanel's web SDK writes CESU-8, whose halves of characters become escapes of JSON. In a form a plus
 * is a blank, but some SDKs do not escape it, so a blank is a plus here.
 */
export function jsonOfBase64(text: string): string | undefined {
  const bytes = bytesOfBase64(text.replace(/[- ]/g, '+').replaceAll('_', '/'))?.replace(
    SURROGATE_PATTERN,
    (_half, high: string, low: string) => {
      const unit = 0xd000 | ((high.charCodeAt(0) & 0x3f) << 6) | (low.charCodeAt(0) & 0x3f);
      return `\\u${unit.toString(16)}`;
    },
  );
  if (bytes === undefined) return undefined;
  const utf8 = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) utf8[i] = bytes.charCodeAt(i);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(utf8);
  } catch {
    return undefined;
  }
}
