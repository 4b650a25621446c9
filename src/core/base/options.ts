/**
 * Throws a TypeError that names what is missing: programs without types learn it where they make something,
 * and not from a field of `undefined` later.
 */
export function requireOptions<O extends object>(
  maker: string,
  options: O,
  needed: readonly (keyof O & string)[],
): void {
  const given = options as Partial<O> | undefined;
  const missing = needed.filter((name) => given?.[name] === undefined);
  if (missing.length === 0) return;
  const got = Object.keys(given ?? {}).join(', ') || 'nothing';
  throw new TypeError(`${maker} needs ${missing.join(' and ')}; got ${got}`);
}
