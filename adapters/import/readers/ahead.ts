/** The first values of a source, and all of its values, the first ones too. */
export interface PeekedEach<T> {
  readonly first: readonly T[];
  readonly all: AsyncIterable<T>;
}

/** Reads up to `most` values, until one of them is enough, and yet loses none. */
export async function peekEach<T>(
  source: AsyncIterable<T>,
  most: number,
  isEnough: (value: T) => boolean,
): Promise<PeekedEach<T>> {
  const values = source[Symbol.asyncIterator]();
  const first: T[] = [];
  let problem: { error: unknown } | undefined;
  while (first.length < most && !first.some(isEnough)) {
    try {
      const step = await values.next();
      if (step.done === true) break;
      first.push(step.value);
    } catch (error) {
      // What was read before is still good, so the error comes after it.
      problem = { error };
      break;
    }
  }
  async function* all(): AsyncGenerator<T> {
    try {
      yield* first;
      if (problem !== undefined) throw problem.error;
      for (let step = await values.next(); step.done !== true; step = await values.next()) yield step.value;
    } finally {
      await values.return?.();
    }
  }
  return { first, all: all() };
}
