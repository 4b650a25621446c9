/** Functions by their names. */
export type Methods = Readonly<Record<string, (...given: never[]) => unknown>>;

/**
 * The same methods, each called by `run`, which gets the call and its first argument. So what is done around
 * every call is said once, and holds for a method that is added.
 */
export function aroundEach<T extends Methods>(
  methods: T,
  run: (call: () => unknown, first: unknown) => unknown,
): T {
  const around = Object.entries(methods).map(([name, method]) => [
    name,
    (...given: never[]) => run(() => method(...given), given[0]),
  ]);
  return Object.fromEntries(around) as T;
}
