/**
 * Throws a TypeError that names the missing options. Programs without types get it at the call, and not later
 * as an access to a field of `undefined`.
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
