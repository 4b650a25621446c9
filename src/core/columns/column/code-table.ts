import type { KeyedHash } from '../../base/keyed-hash.ts';

/** The codes of values: a hash table with a keyed hash, which clients cannot predict. */
export interface CodeTable<T> {
  find(value: T): number | undefined;
  /** Adds a value that is not there, with a code of 1 or more. */
  add(value: T, code: number): void;
}

/** The codes of texts. */
export type TextCodes = CodeTable<string>;

const SLOTS_FIRST = 16;

/** Makes an empty table. It stores hashes, so that growing need not hash values again. */
export function createCodeTable<T extends number | string>(hashOf: (value: T) => number): CodeTable<T> {
  const values: T[] = [];
  const codes: number[] = [];
  const hashes: number[] = [];
  // A slot has the index of a value plus one; zero means empty.
  let slots = new Uint32Array(SLOTS_FIRST);

  let hashed: T | undefined;
  let lastHash = 0;
  /** A value that was not found is mostly added next, so its hash is remembered. */
  function hashOnce(value: T): number {
    if (value !== hashed) lastHash = hashOf((hashed = value));
    return lastHash;
  }

  /** The slot of a value, or the empty one where it belongs. */
  function slotOf(value: T, hash: number): number {
    let slot = hash & (slots.length - 1);
    for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
      if (hashes[entry - 1] === hash && values[entry - 1] === value) break;
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  function grow(): void {
    slots = new Uint32Array(slots.length * 2);
    for (let place = 0; place < hashes.length; place++) {
      let slot = hashes[place]! & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = place + 1;
    }
  }

  return {
    find(value) {
      const entry = slots[slotOf(value, hashOnce(value))]!;
      return entry === 0 ? undefined : codes[entry - 1];
    },
    add(value, code) {
      // At most half of the slots are taken, so that a search ends soon.
      if ((values.length + 1) * 2 > slots.length) grow();
      const hash = hashOnce(value);
      const slot = slotOf(value, hash);
      values.push(value);
      codes.push(code);
      hashes.push(hash);
      slots[slot] = values.length;
    },
  };
}

/** V8 does not hash the content of longer texts, only their length. */
const HASHED_LENGTH_MAX = 16_383;

/** Makes an empty table of texts. Short ones are in a Map, since V8 hashes them with a secret of its own. */
export function createTextCodes(hash: KeyedHash): TextCodes {
  const short = new Map<string, number>();
  const long = createCodeTable<string>((text) => hash.ofText(text, 0));
  return {
    find: (text) => (text.length > HASHED_LENGTH_MAX ? long.find(text) : short.get(text)),
    add(text, code) {
      if (text.length > HASHED_LENGTH_MAX) long.add(text, code);
      else short.set(text, code);
    },
  };
}
