/** Places of which many want one. */
export interface Places {
  /** How many are taken. */
  readonly taken: number;
  /** Whether there is a place for somebody whom all of these owners answer for: none has its share. */
  isOpenTo(owners: readonly string[]): boolean;
  /** Takes a place for somebody whom all of these owners answer for; false when one of them has its share. */
  take(owners: readonly string[]): boolean;
  /** Gives it back. */
  leave(owners: readonly string[]): void;
}

/**
 * How many owners are remembered that hold nothing: to enter and forget one for each request would cost more
 * than the places themselves.
 */
const OWNERS_MAX = 4_096;

/**
 * Makes places that no owner can take from the others: each may have as many as are free still. So one alone
 * gets half of them, two get a third each, and whoever comes new finds some free.
 */
export function createPlaces(placesMax: number): Places {
  const held = new Map<string, number>();
  let taken = 0;

  function forgetIdle(): void {
    for (const [owner, count] of held) if (count === 0) held.delete(owner);
  }

  function isOpenTo(owners: readonly string[]): boolean {
    const free = placesMax - taken;
    if (free <= 0) return false;
    for (const owner of owners) {
      if ((held.get(owner) ?? 0) >= free) return false;
    }
    return true;
  }

  return {
    get taken() {
      return taken;
    },
    isOpenTo,
    take(owners) {
      if (!isOpenTo(owners)) return false;
      taken += 1;
      for (const owner of owners) held.set(owner, (held.get(owner) ?? 0) + 1);
      return true;
    },
    leave(owners) {
      taken -= 1;
      for (const owner of owners) {
        held.set(owner, held.get(owner)! - 1);
      }
      if (held.size > OWNERS_MAX) forgetIdle();
    },
  };
}
