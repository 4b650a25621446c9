import type { HttpRequest } from '../message.ts';

/**
 * The name of a cookie of the pages of an origin. All ports of a host share their cookies, so the port is in
 * it; the prefix makes browsers take it from this very host only.
 */
export function cookieName(origin: string, suffix = ''): string {
  const port = /:(\d{1,5})$/.exec(origin)?.[1] ?? (origin.startsWith('https:') ? '443' : '80');
  return `__Host-event-query-${port}${suffix}`;
}

/** What a cookie holds; of two of one name nobody knows which counts. */
export function readCookie(request: HttpRequest, name: string): string | undefined {
  const pairs = (request.header('cookie') ?? '').split(';').map((each) => each.trim());
  const found = pairs.filter((each) => each.startsWith(`${name}=`));
  return found.length === 1 ? found[0]!.slice(name.length + 1) : undefined;
}

/** A cookie that no script reads and no other site sends; for `seconds`, or as long as the browser runs. */
export function toCookie(name: string, value: string, seconds?: number): string {
  const ends = seconds === undefined ? '' : `; Max-Age=${seconds}`;
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict${ends}`;
}
