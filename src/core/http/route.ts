import { hideCredentials } from '../access/credentials.ts';

/** A place of the API. `alias` is the tenant of the path, percent-decoded once. */
export type Route =
  | { readonly name: 'query' | 'count' | 'eventNames' | 'ingest'; readonly alias: string }
  | { readonly name: 'openapi' | 'healthz' | 'readyz' };

/** The methods that each place takes, as `Allow` lists them. */
export const ROUTE_METHODS = {
  query: ['POST'],
  count: ['POST'],
  eventNames: ['GET'],
  ingest: ['POST', 'OPTIONS'],
  openapi: ['GET'],
  healthz: ['GET'],
  readyz: ['GET'],
} as const satisfies Record<Route['name'], readonly string[]>;

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

/** Finds the place of a path (SPEC, "Endpoints", and ingestion), or undefined. */
export function findRoute(path: string): Route | undefined {
  const [empty, ...segments] = path.split('/');
  if (empty !== '' || segments.includes('')) return undefined;
  const [first, second, third, fourth, fifth] = segments;
  if (segments.length === 1 && (first === 'healthz' || first === 'readyz')) return { name: first };
  if (first !== 'v1') return undefined;
  if (second === 'openapi.json' && segments.length === 2) return { name: 'openapi' };
  if (second === 'events' && segments.length === 4 && fourth === 'multi') return toRoute('ingest', third);
  if (second !== 'api' || third !== 'query') return undefined;
  if (segments.length === 4) return toRoute('query', fourth);
  if (segments.length !== 5) return undefined;
  if (fourth === 'count') return toRoute('count', fifth);
  return fourth === 'events' ? toRoute('eventNames', fifth) : undefined;
}

function toRoute(name: 'query' | 'count' | 'eventNames' | 'ingest', segment = ''): Route {
  return { name, alias: decodeSegment(segment) };
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    // No alias holds a percent sign, so a malformed escape names a tenant that does not exist.
    return segment;
  }
}
