/** Knows which questions are under way, by key. */
export interface Questions {
  /** Does some work that is one. */
  during<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when all that are under way now have ended, however they ended. */
  ended(key: string): Promise<void>;
}

/** No question is under way; keys without one are forgotten. */
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
