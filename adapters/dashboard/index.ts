import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isApiError, requireOptions, type Api, type HttpHandler, type ServedApi } from '../../src/index.ts';
import { pagesUrl, type HttpRequest, type HttpResponse } from '../../src/transport-kit.ts';

/** A form of a file: as it is, or compressed. */
interface FileForm {
  /** The name of its content coding; undefined for the file as it is. */
  readonly coding: string | undefined;
  /** The text, or, of a compressed form, a character for each byte. */
  readonly text: string;
  readonly etag: string;
}

/** A file of the pages, ready to be sent. */
interface PageFile {
  readonly type: string;
  /** Its forms, the smallest first; the last one is the file as it is. */
  readonly forms: readonly FileForm[];
  /** The value of its `Cache-Control` header: how long a browser keeps it. */
  readonly cache: string;
}

/** The options of `withDashboard`. */
export interface DashboardOptions {
  /**
   * The URL below which browsers reach the dashboard, besides the names of this machine: an origin, or an
   * origin and a path that a proxy leaves out of its requests. Without a slash at its end.
   */
  readonly origin?: string | undefined;
  /**
   * The base URL of the API, for the commands that the pages show. Default: that of the pages. If it is
   * another server, this one refuses all other requests as the Admin API does.
   */
  readonly apiUrl?: string | undefined;
}

/** The content codings in which the build leaves files, and the ends of their names; the smallest first. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** The place in the page for the URL of the API. */
const API_META = 'name="api" content=""';
/** The folder next to the code in which the build puts the pages. */
const FOLDER = new URL('./dashboard/', import.meta.url);
/** The types of the files of the pages, by the ends of their names. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
/**
 * The path to which an identity provider redirects. Its answer is in the URL, so this page is never cached.
 */
const SIGN_IN = '/sign-in';
/** Browsers request the icon with each new history entry, so they may cache it for a day. */
const ICON = 'icon.svg';
/** The names of scripts that the build names after their content. Such a file never changes. */
const NAMED_BY_CONTENT = /-[A-Z0-9]{8}\.js$/;
/** The paths of the single page. The part of the address after `#` selects what it shows. */
const PAGES = ['/dashboard', SIGN_IN];
/** Where the way to the page leads from other paths. It is relative: a proxy may have left out a path. */
const WAYS: ReadonlyMap<string, string> = new Map([
  ['/', 'dashboard'],
  ['/dashboard/', '../dashboard'],
]);

/**
 * The security headers of the page: it may only load these files and send requests to this server. Trusted
 * Types allows no policy, so no text can become markup.
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'",
  'Cache-Control': 'no-cache',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/**
 * Adds the pages of the dashboard and their Admin API to an API. Serve the result instead of that API. The
 * pages and the Admin API answer on the names of this machine and at `origin`.
 *
 * @throws {Error} If the pages are not built, or if the stores cannot hold administrators.
 * @example
 * ```ts
 * import { createApi } from 'event-query';
 * import { withDashboard } from 'event-query/dashboard';
 * import { memoryStores } from 'event-query/memory';
 * import { createNodeServer, nodeResources } from 'event-query/node-http';
 *
 * const resources = nodeResources();
 * const api = createApi({ stores: memoryStores({ resources }), resources });
 * const server = createNodeServer({ api: withDashboard(api) });
 * const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
 * const page = await fetch(`http://127.0.0.1:${port}/dashboard`);
 * console.log(page.status);
 * // prints: 200
 * await server.close();
 * ```
 */
export function withDashboard(
  api: Pick<Api, 'handler' | 'adminHandler' | 'resources'>,
  { origin, apiUrl }: DashboardOptions = {},
): ServedApi {
  requireOptions('withDashboard', { api }, ['api']);
  const { handler, adminHandler, resources } = api;
  const rest = apiUrl === undefined ? handler : adminHandler;
  const files = readPages(apiUrl ?? '');

  function fileOf(path: string): PageFile | undefined {
    if (PAGES.includes(path)) return files.get('index.html');
    return path.startsWith('/dashboard/') ? files.get(path.slice('/dashboard/'.length)) : undefined;
  }

  const withPages: HttpHandler = async (request) => {
    const path = request.target.split('?', 1)[0]!;
    if (path.startsWith('/v1/admin/')) return adminHandler(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const file = isRead ? fileOf(path) : undefined;
    const way = isRead ? WAYS.get(path) : undefined;
    if (file === undefined && way === undefined) return rest(request);
    const refused = refuseForeign(request, origin);
    if (refused !== undefined) return refused;
    return file === undefined ? leadTo(way!) : answer(file, request, path !== SIGN_IN);
  };
  return { handler: withPages, resources };
}

/** The files of the pages by their names. */
function readPages(apiUrl: string): ReadonlyMap<string, PageFile> {
  try {
    const names = ['index.html', ...readdirSync(FOLDER).filter((name) => typeOf(name) !== undefined)];
    return new Map(names.map((name) => [name, readPage(name, apiUrl)]));
  } catch (cause) {
    throw new Error('The pages of the dashboard were not built: npm run build', { cause });
  }
}

function readPage(name: string, apiUrl: string): PageFile {
  const text = readFileSync(new URL(name, FOLDER), 'utf8').replace(
    API_META,
    `${API_META.slice(0, -1)}${apiUrl}"`,
  );
  const hash = createHash('sha256').update(text).digest('base64url');
  const forms = CODINGS.flatMap(([coding, end]): readonly FileForm[] => {
    const file = new URL(name + end, FOLDER);
    return existsSync(file)
      ? [{ coding, text: readFileSync(file, 'latin1'), etag: `"${hash}-${coding}"` }]
      : [];
  });
  const plain = { coding: undefined, text, etag: `"${hash}"` };
  return { type: typeOf(name)!, forms: [...forms, plain], cache: cacheOf(name) };
}

/** How many parts of an `Accept-Encoding` or `If-None-Match` header are read. */
const PARTS_MAX = 20;
const partsOf = (header: string | undefined) =>
  (header ?? '')
    .split(',', PARTS_MAX)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * The smallest form of a file that an `Accept-Encoding` header takes: a coding that it names, or `*`, unless
 * with `q=0` (RFC 9110, 12.5.3).
 */
function formFor(forms: readonly FileForm[], accept: string | undefined): FileForm {
  const qualities = new Map(
    partsOf(accept).map((part) => {
      const [coding = '', quality = ''] = part.toLowerCase().split(';', 2);
      return [coding.trim(), Number(/^\s*q=([\d.]{1,5})\s*$/.exec(quality)?.[1] ?? 1)];
    }),
  );
  const isTaken = ({ coding }: FileForm) =>
    coding === undefined || (qualities.get(coding) ?? qualities.get('*') ?? 0) > 0;
  return forms.find(isTaken) ?? forms.at(-1)!;
}

const typeOf = (name: string): string | undefined => TYPES[name.slice(name.lastIndexOf('.') + 1)];

function cacheOf(name: string): string {
  if (NAMED_BY_CONTENT.test(name)) return 'max-age=31536000, immutable';
  return name === ICON ? 'max-age=86400' : 'no-cache';
}

function answer({ type, forms, cache }: PageFile, request: HttpRequest, isKept: boolean): HttpResponse {
  const { coding, text, etag } = formFor(forms, request.header('accept-encoding'));
  const headers = {
    ...{ ...PAGE_HEADERS, 'Content-Type': type },
    ...(isKept ? { ETag: etag, 'Cache-Control': cache } : { 'Cache-Control': 'no-store' }),
    ...(forms.length > 1 ? { Vary: 'Accept-Encoding' } : {}),
  };
  const known = partsOf(request.header('if-none-match')).map((part) => part.replace(/^W\//, ''));
  if (isKept && known.includes(etag)) return { status: 304, headers, body: '' };
  const coded = coding === undefined ? headers : { ...headers, 'Content-Encoding': coding };
  const body = request.method === 'HEAD' ? '' : text;
  return { status: 200, headers: coded, body, ...(coding === undefined ? {} : { isBinary: true }) };
}

function leadTo(way: string): HttpResponse {
  return { status: 302, headers: { ...PAGE_HEADERS, Location: way }, body: '' };
}

function refuseForeign(request: HttpRequest, origin: string | undefined): HttpResponse | undefined {
  try {
    pagesUrl(request, origin);
    return undefined;
  } catch (error) {
    if (!isApiError(error)) throw error;
    const headers = { ...PAGE_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' };
    return { status: error.status, headers, body: `${error.message}\n` };
  }
}
