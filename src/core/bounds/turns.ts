/** Turns by key; keys under which nothing is done are forgotten. */
export interface Turns {
  /** Does some work after all that came before it under the same key has ended, however it ended. */
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Whether some work is under way or waits under a key. */
  isTaken(key: string): boolean;
  /** Resolves when none is under way or waits under any. */
  ended(): Promise<void>;
}

/** Makes an empty set of turns. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take(key, work) {
      const before = last.get(key) ?? Promise.resolve();
      const result = before.then(work, work);
      last.set(key, result);
      const forget = () => {
        if (last.get(key) === result) last.delete(key);
      };
      result.then(forget, forget);
      return result;
    },
    isTaken: (key) => last.has(key),
    async ended() {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
}
