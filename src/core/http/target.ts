import { hideCredentials } from '../base/credentials.ts';

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/** The target of a request, split. */
export interface Target {
  readonly path: string;
  /** Without its question mark; empty for none. */
  readonly queryString: string;
}

/** Splits the target of a request at its first question mark. */
export function splitTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, queryString: '' };
  return { path: target.slice(0, mark), queryString: target.slice(mark + 1) };
}

/** The path of a target as a log may keep it: a credential that somebody put there is hidden. */
export function toLogPath(target: string): string {
  return hideCredentials(splitTarget(target).path);
}

/**
 * The path and query of an address: a request to a proxy names the whole address, and a server has to take
 * that too.
 */
export function toTarget(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(ABSOLUTE_FORM, '');
  if (path === url) return url;
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Makes what takes the path off below which an API is mounted: of a target that is elsewhere nothing is left,
 * which no route is. Throws Error for a path that does not begin with a slash.
 */
export function belowPrefix(prefix: string): (target: string) => string {
  if (prefix === '' || prefix === '/') return (target) => target;
  if (!prefix.startsWith('/')) throw new Error(`prefix: takes a path that begins with /, got ${prefix}`);
  const path = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  return (target) => {
    if (!target.startsWith(path)) return '';
    const rest = target.slice(path.length);
    if (rest.startsWith('/')) return rest;
    return rest === '' || rest.startsWith('?') ? `/${rest}` : '';
  };
}

/** Whether a request only asks how the server is, which is told whatever else waits. */
export function isHealth({ target }: { readonly target: string }): boolean {
  return target === '/healthz' || target === '/readyz';
}

/** The path of a target, one text for all the ways to write it. */
export function decodedPath(target: string): string {
  const { path } = splitTarget(target);
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
