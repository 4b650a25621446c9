/** The Web's own decoders, which every runtime has. */
const { atob, TextDecoder } = globalThis as unknown as {
  readonly atob: (base64: string) => string;
  readonly TextDecoder: new (
    label: string,
    options: { readonly fatal: boolean },
  ) => { decode(bytes: Uint8Array): string };
};

/** The bytes in a text of Base64, a character each; undefined where it is none. */
export function bytesOfBase64(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}

/** The text in a text of Base64 of UTF-8; undefined where it is none. */
export function textOfBase64(base64: string): string | undefined {
  const bytes = bytesOfBase64(base64);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
    );
  } catch {
    return undefined;
  }
}
