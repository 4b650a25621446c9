import type { Runtime } from '../base/runtime.ts';

/** The largest initial counter value: half of its range stays free for increments. */
const SEED_MAX = 0x7fff_ffff;
const COUNTER_MAX = 0xffff_ffff;
const CHANCE_BYTES = 10;
/**
 * Random bytes are requested for this many ids at once, because each call into the runtime costs more than an
 * id.
 */
const POOL_IDS = 256;

/**
 * Creates a generator of UUIDs of version 7 (RFC 9562), each greater than the one before as a text. An id has
 * 48 bits of time, a 32-bit counter that restarts at a random value in each millisecond, and 42 random bits,
 * so that two processes do not collide. If the clock stands still or steps back, or the counter is exhausted,
 * the generator increments the time of the last id.
 *
 * @see RFC 9562, sections 5.7 and 6.2 (method 1: a dedicated counter).
 */
export function createUuidV7({ now, randomBytes }: Pick<Runtime, 'now' | 'randomBytes'>): () => string {
  let lastMs = -1;
  let time = '';
  let counter = 0;
  let pool = new DataView(new ArrayBuffer(0));
  let at = 0;
  return () => {
    if (at >= pool.byteLength) {
      pool = new DataView(Uint8Array.from(randomBytes(POOL_IDS * CHANCE_BYTES)).buffer);
      at = 0;
    }
    const ms = now();
    const seed = pool.getUint32(at + 6) & SEED_MAX;
    if (ms > lastMs) begin(ms, seed);
    else if (counter < COUNTER_MAX) counter += 1;
    else begin(lastMs + 1, seed);
    const version = toHex(0x7000 | (counter >>> 20));
    const variant = toHex(0x8000 | ((counter >>> 6) & 0x3fff));
    const mixed = toHex(((counter & 0x3f) << 10) | (pool.getUint16(at) & 0x3ff));
    const last = toHex(pool.getUint16(at + 2)) + toHex(pool.getUint16(at + 4));
    at += CHANCE_BYTES;
    return `${time}-${version}-${variant}-${mixed}${last}`;
  };

  function begin(ms: number, seed: number): void {
    [lastMs, counter] = [ms, seed];
    const text = ms.toString(16).padStart(12, '0');
    time = `${text.slice(0, 8)}-${text.slice(8)}`;
  }
}

/** Each byte as two digits: a lookup takes a third of the time of formatting a number. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** 16 bits as four digits. */
function toHex(value: number): string {
  return BYTES[value >>> 8]! + BYTES[value & 0xff]!;
}
