const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** What a character of Base64 stands for besides six bits. */
const BLANK = -1;
const PADDING = -2;
const WRONG = -3;

/** The meaning of each ASCII character, in the alphabets of files and of URLs. */
const MEANINGS: Int8Array = /* @__PURE__ */ (() => {
  const meanings = new Int8Array(128).fill(WRONG);
  for (let i = 0; i < ALPHABET.length; i++) meanings[ALPHABET.charCodeAt(i)] = i;
  // In a form a plus is a blank, but some SDKs do not escape it, so a blank is a plus here.
  for (const plus of '- ') meanings[plus.charCodeAt(0)] = meanings['+'.charCodeAt(0)]!;
  meanings['_'.charCodeAt(0)] = meanings['/'.charCodeAt(0)]!;
  for (const blank of '\t\n\f\r') meanings[blank.charCodeAt(0)] = BLANK;
  meanings['='.charCodeAt(0)] = PADDING;
  return meanings;
})();

/**
 * The bytes that a text in Base64 writes, in the alphabet of files or of URLs; undefined for any other text.
 * It is one pass over the characters: a replacement with a million matches takes a hundred times as long,
 * and `atob` needs one for the other alphabet.
 */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let [length, digits, padding, bits, held] = [0, 0, 0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const meaning = unit < 128 ? MEANINGS[unit]! : WRONG;
    if (meaning >= 0 && padding === 0) {
      digits += 1;
      bits = (bits << 6) | meaning;
      held += 6;
      if (held < 8) continue;
      held -= 8;
      bytes[length++] = bits >> held;
    } else if (meaning === PADDING) padding += 1;
    else if (meaning !== BLANK) return undefined;
  }
  const isPadded = padding === 0 || (padding <= 2 && (digits + padding) % 4 === 0);
  return digits % 4 === 1 || !isPadded ? undefined : bytes.subarray(0, length);
}

/**
 * The JSON whose UTF-8 a text in Base64 writes. Undefined for any other text. Mixpanel's web SDK writes
 * CESU-8, whose halves of characters become escapes of JSON.
 */
export function jsonOfBase64(text: string): string | undefined {
  const bytes = bytesOfBase64(text);
  try {
    return (
      bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(withEscapedHalves(bytes))
    );
  } catch {
    return undefined;
  }
}

/** The bytes with each half of a character beyond U+FFFF, which takes three bytes, as an escape of JSON. */
function withEscapedHalves(bytes: Uint8Array): Uint8Array {
  let halves = 0;
  for (let i = 0; i < bytes.length; i++) if (isHalf(bytes, i)) halves += 1;
  if (halves === 0) return bytes;
  const escaped = new Uint8Array(bytes.length + halves * 3);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (!isHalf(bytes, i)) {
      escaped[length++] = bytes[i]!;
      continue;
    }
    const unit = 0xd000 | ((bytes[i + 1]! & 0x3f) << 6) | (bytes[i + 2]! & 0x3f);
    escaped[length++] = 0x5c; // \\
    escaped[length++] = 0x75; // u
    for (let shift = 12; shift >= 0; shift -= 4) escaped[length++] = HEX.charCodeAt((unit >> shift) & 15);
    i += 2;
  }
  return escaped;
}

const HEX = '0123456789abcdef';

/** Whether half a character begins at a place: no UTF-8, but CESU-8. */
function isHalf(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0xed && bytes[at + 1]! >= 0xa0 && (bytes[at + 2]! & 0xc0) === 0x80 && bytes[at + 1]! < 0xc0
  );
}
