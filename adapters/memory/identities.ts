import type { KeyedHash } from '../../src/store-kit.ts';

/**
 * Detects duplicates by the identity of an event, `eventTs` and `insertId`. It is a hash table of row numbers
 * only, since the rows hold the rest: 8 to 16 bytes per event, where a Set of joined texts would take about
 * 150.
 */
export interface IdentityTable {
  /** Adds the next row; false when a row with this identity is there already. */
  add(eventTs: number, insertId: string): boolean;
}

const SLOTS_FIRST = 1024;

/**
 * Makes an empty table. `same` compares the identity of a stored row with that of a new one; `fieldsOf` finds
 * none for a row that was erased, which is no duplicate of any. The hash is keyed, so that a client cannot
 * choose ids that collide.
 */
export function createIdentities(
  same: (row: number, eventTs: number, insertId: string) => boolean,
  fieldsOf: (row: number) => { readonly eventTs: number; readonly insertId: string } | undefined,
  { ofText }: Pick<KeyedHash, 'ofText'>,
): IdentityTable {
  // A slot holds a row number plus one; zero is an empty slot.
  let slots = new Uint32Array(SLOTS_FIRST);
  let count = 0;

  function grow(): void {
    slots = new Uint32Array(slots.length * 2);
    for (let row = 0; row < count; row++) {
      const fields = fieldsOf(row);
      if (fields === undefined) continue;
      const { eventTs, insertId } = fields;
      let slot = ofText(insertId, eventTs) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = row + 1;
    }
  }

  return {
    add(eventTs, insertId) {
      // At most half of the slots are used, so that probes stay short.
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
