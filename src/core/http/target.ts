import { hideCredentials } from '../base/credentials.ts';

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/** The path and the query string of a request. */
export interface Target {
  /** The path as it was sent. */
  readonly path: string;
  /** The query string without its question mark; empty for none. */
  readonly queryString: string;
}

/** Splits the target of a request at its first question mark. */
export function splitTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, queryString: '' };
  return { path: target.slice(0, mark), queryString: target.slice(mark + 1) };
}

/** The path of a target for the log: credentials that a client put there by mistake are hidden. */
export function toLogPath(target: string): string {
  return hideCredentials(splitTarget(target).path);
}

/**
 * The path and query of a request target. A client of a proxy sends the whole URL, and a server has to accept
 * that form too.
 */
export function toTarget(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(ABSOLUTE_FORM, '');
  if (path === url) return url;
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Makes a function that removes from targets the path at which an API is mounted. A target outside that path
 * becomes an empty text, which matches no route. Throws Error for a prefix that does not begin with a slash.
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

/**
 * Makes a function that puts the targets of some hosts below a path, for SDKs that send to the root of their
 * host. `paths` names the path of each host; `host` is the header of that name. Health checks stay.
 */
export function belowHosts(
  paths: Readonly<Record<string, string>>,
): (target: string, host: string | undefined) => string {
  const byName = new Map(Object.entries(paths).map(([name, path]) => [name.toLowerCase(), path]));
  if (byName.size === 0) return (target) => target;
  return (target, host = '') => {
    const path = byName.get(host.toLowerCase().replace(/:\d{1,5}$/, ''));
    return path === undefined || isHealth({ target }) ? target : path + target;
  };
}

/** Whether a request is a health check, which the server answers before all waiting requests. */
export function isHealth({ target }: { readonly target: string }): boolean {
  return target === '/healthz' || target === '/readyz';
}

/** The percent-decoded path of a target, so that equal paths compare as equal. */
export function decodedPath(target: string): string {
  const { path } = splitTarget(target);
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
