/** A secret of 64 bits: without it nobody can choose values that meet in one place of a hash table. */
export type HashSeed = readonly [number, number];

/** Hashes that only the holder of the seed can foresee: HalfSipHash-1-3, of 32 bits. */
export interface KeyedHash {
  /** The hash of a number; 0 and -0 have the same one. */
  ofNumber(value: number): number;
  /** The hash of a text and a number together. */
  ofText(text: string, number: number): number;
}

/**
 * Makes the hash of a seed. V8 hashes strings with a secret of its own but numbers without one, so that a
 * Map of numbers can be made as slow as a list.
 *
 * @see Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012; HalfSipHash is its variant
 * for words of 32 bits.
 */
export function createKeyedHash([low, high]: HashSeed): KeyedHash {
  const double = new Float64Array(1);
  const halves = new Int32Array(double.buffer);
  let words = new Int32Array(128);
  return {
    ofNumber(value) {
      // Zero has two forms and is one value.
      double[0] = value + 0;
      return halfSipHash(halves, 2, low, high);
    },
    ofText(text, number) {
      const count = ((text.length + 1) >> 1) + 3;
      if (count > words.length) words = new Int32Array(count * 2);
      double[0] = number + 0;
      words[0] = halves[0]!;
      words[1] = halves[1]!;
      words[2] = text.length;
      for (let i = 0, word = 3; i < text.length; i += 2, word++) {
        // Behind the last unit of an odd text is none.
        words[word] = text.charCodeAt(i) | (i + 1 < text.length ? text.charCodeAt(i + 1) << 16 : 0);
      }
      return halfSipHash(words, count, low, high);
    },
  };
}

const FINAL_ROUNDS = 3;

function halfSipHash(words: Int32Array, count: number, low: number, high: number): number {
  let v0 = low | 0;
  let v1 = high | 0;
  let v2 = 0x6c796765 ^ low;
  let v3 = 0x74656462 ^ high;
  for (let i = 0; i < count + FINAL_ROUNDS; i++) {
    const word = i < count ? words[i]! : 0;
    if (i === count) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}

/** The seed that eight random bytes make. */
export function toHashSeed(bytes: Uint8Array): HashSeed {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  return [view.getUint32(0), view.getUint32(4)];
}
