/** The Web's own coders, which every runtime has. */
const { TextEncoder, TextDecoder } = globalThis as unknown as {
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly TextDecoder: new (label: string, options: object) => { decode(bytes: Uint8Array): string };
};

/** The UTF-8 of a text. */
export function bytesOfText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The text whose UTF-8 the bytes are, with a byte order mark if there is one; undefined for other bytes. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
