/** Does some work after all that came before it under the same key has ended, however it ended. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Turns by key; keys that nobody waits under are forgotten. */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    last.set(key, result);
    const forget = () => {
      if (last.get(key) === result) last.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}
