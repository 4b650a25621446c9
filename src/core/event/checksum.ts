/**
 * A 53-bit hash: two lanes similar to FNV-1a, over the UTF-16 units of texts and over words. It detects
 * mistakes and damage, not attacks: collisions are easy to construct.
 */
export function checksum(texts: readonly string[], words?: Uint32Array): number {
  let low = 0x811c9dc5;
  let high = 0x1b873593;
  for (const text of texts) {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x85ebca6b);
      high ^= high >>> 13;
    }
    low ^= text.length;
  }
  for (let i = 0; words !== undefined && i < words.length; i++) {
    const word = words[i]!;
    low = Math.imul(low ^ word, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(high ^ word, 0x85ebca6b);
    high ^= high >>> 13;
  }
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}
