import type { HttpRequest } from '../message.ts';

/**
 * The name of a cookie for the pages at a URL. All ports of a host share their cookies, and so do all paths:
 * its name holds both. The prefix `__Host-` makes browsers accept the cookie from this exact host only.
 */
export function cookieName(url: string, suffix = ''): string {
  const [, scheme, given, path = ''] = /^(https?):\/\/[^/]*?(?::(\d{1,5}))?(\/.*)?$/.exec(url) ?? [];
  const port = given ?? (scheme === 'https' ? '443' : '80');
  return `__Host-event-query-${port}${path.replace(/[^A-Za-z0-9]+/g, '~')}${suffix}`;
}

/** The value of a cookie; undefined where it is absent, or sent twice so that its value is ambiguous. */
export function readCookie(request: HttpRequest, name: string): string | undefined {
  const pairs = (request.header('cookie') ?? '').split(';').map((each) => each.trim());
  const found = pairs.filter((each) => each.startsWith(`${name}=`));
  return found.length === 1 ? found[0]!.slice(name.length + 1) : undefined;
}

/**
 * A `Set-Cookie` value that hides the cookie from scripts and from requests of other sites. It lives for
 * `seconds`, or until the browser closes.
 */
export function toCookie(name: string, value: string, seconds?: number): string {
  const ends = seconds === undefined ? '' : `; Max-Age=${seconds}`;
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict${ends}`;
}
