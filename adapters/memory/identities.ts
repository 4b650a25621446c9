import type { KeyedHash } from '../../src/store-kit.ts';

/**
 * Finds the row of an event by its identity, `eventTs` and `insertId`: a hash table of row numbers only,
 * since the rows themselves have the rest. 8 to 16 bytes an event, where a Set of joined texts would take
 * about 150.
 */
export interface IdentityTable {
  /** Notes the next row, unless another has its identity; whether it was noted. */
  add(eventTs: number, insertId: string): boolean;
}

const SLOTS_FIRST = 1024;

/**
 * An empty table over rows whose fields `same` compares with those of a new one. The hash is keyed, so that
 * nobody can choose ids that meet in one place.
 */
export function createIdentities(
  same: (row: number, eventTs: number, insertId: string) => boolean,
  fieldsOf: (row: number) => { readonly eventTs: number; readonly insertId: string },
  { ofText }: Pick<KeyedHash, 'ofText'>,
): IdentityTable {
  // A slot has a row number plus one; zero is empty.
  let slots = new Uint32Array(SLOTS_FIRST);
  let count = 0;

  function grow(): void {
    slots = new Uint32Array(slots.length * 2);
    for (let row = 0; row < count; row++) {
      const { eventTs, insertId } = fieldsOf(row);
      let slot = ofText(insertId, eventTs) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = row + 1;
    }
  }

  return {
    add(eventTs, insertId) {
      // At most half of the slots are taken, so that a search ends soon.
      if (count * 2 >= slots.length) grow();
      let slot = ofText(insertId, eventTs) & (slots.length - 1);
      for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
        if (same(entry - 1, eventTs, insertId)) return false;
        slot = (slot + 1) & (slots.length - 1);
      }
      count += 1;
      slots[slot] = count;
      return true;
    },
  };
}
