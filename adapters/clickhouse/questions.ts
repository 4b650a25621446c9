/** Tracks the queries in progress, by key. */
export interface Questions {
  /** Runs some work as a query. */
  during<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when all queries now in progress have settled. */
  ended(key: string): Promise<void>;
}

/** Creates a tracker without queries; it forgets keys that have none. */
export function createQuestions(): Questions {
  const underWay = new Map<string, Set<Promise<unknown>>>();
  return {
    during(key, work) {
      const those = underWay.get(key) ?? new Set();
      underWay.set(key, those);
      const question = work();
      those.add(question);
      const forget = () => {
        those.delete(question);
        if (those.size === 0) underWay.delete(key);
      };
      question.then(forget, forget);
      return question;
    },
    async ended(key) {
      await Promise.allSettled([...(underWay.get(key) ?? [])]);
    },
  };
}
