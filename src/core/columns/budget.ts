/** Something that stays in memory between queries as long as there is room. */
export interface Kept {
  readonly bytes: number;
}

/** Keeps the parts that were used last, within a number of bytes. */
export interface Budget {
  /** Notes that a part is in use, and how to let it go when it is not. */
  hold(part: Kept, evict: () => void): void;
  /** Notes that a use has ended; the parts used least recently go where there are too many bytes. */
  release(parts: Iterable<Kept>): void;
  /** Takes a part out of the account. */
  forget(part: Kept): void;
}

interface Use {
  users: number;
  readonly evict: () => void;
}

/** Makes a budget of `bytesMax` bytes of memory: what was not used for longest goes first. */
export function createBudget(bytesMax: number): Budget {
  // A Map keeps the order in which entries came, and an entry that is used comes again: the first is the
  // oldest.
  const uses = new Map<Kept, Use>();

  function trim(): void {
    let bytes = 0;
    for (const part of uses.keys()) bytes += part.bytes;
    for (const [part, { users, evict }] of uses) {
      if (bytes <= bytesMax) return;
      if (users > 0) continue;
      bytes -= part.bytes;
      uses.delete(part);
      evict();
    }
  }

  return {
    hold(part, evict) {
      const users = uses.get(part)?.users ?? 0;
      uses.delete(part);
      uses.set(part, { users: users + 1, evict });
    },
    release(parts) {
      for (const part of parts) {
        const use = uses.get(part);
        if (use !== undefined) use.users -= 1;
      }
      trim();
    },
    forget: (part) => void uses.delete(part),
  };
}
