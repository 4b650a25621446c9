/** Where a client or a sender finds its server. */
export interface TargetOptions {
  /** The URL of the server, such as `http://127.0.0.1:8787`; it may have a path, which precedes `/v1`. */
  readonly url: string;
  /** The alias of the tenant. */
  readonly tenant: string;
  /** The `fetch` to use. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /**
   * How long one request may take, in milliseconds; for an export, each wait for its next bytes. Default
   * 40,000 for a question, which a server answers within 31 s, and 30,000 for a batch.
   */
  readonly timeoutMs?: number;
}

/** The range of a whole number. */
export type NumberRange = readonly [least: number, most: number];

/** Longer timers than this of 24 days fire at once. */
export const TIMER_MS_MAX = 2_147_483_647;

/** The options of a maker beside those of its target. */
interface OwnOptions {
  /** Texts without which nothing can be sent. */
  readonly needed?: readonly string[];
  readonly optional?: readonly string[];
  readonly ranges?: Readonly<Record<string, NumberRange>>;
}

/** Throws a TypeError for options with which no request can be sent. */
export function checkOptions(
  maker: string,
  options: TargetOptions | undefined,
  { needed = [], optional = [], ranges = {} }: OwnOptions,
): void {
  const given = (options ?? {}) as Readonly<Record<string, unknown>>;
  const wrong = (what: string) => new TypeError(`${maker}: ${what}`);
  const missing = ['url', 'tenant', ...needed].filter((name) => typeof given[name] !== 'string');
  if (missing.length > 0) {
    const got = Object.keys(given).join(', ') || 'nothing';
    throw new TypeError(`${maker} needs ${missing.join(' and ')}; got ${got}`);
  }
  if (!isServerUrl(String(given.url)))
    throw wrong('url takes an address of http or https, such as http://127.0.0.1:8787');
  if (given.tenant === '') throw wrong('tenant takes the alias of a tenant, got ""');
  if (given.fetch !== undefined && typeof given.fetch !== 'function') throw wrong('fetch takes a function');
  const allRanges = { timeoutMs: [1, TIMER_MS_MAX] as const, ...ranges };
  for (const [name, [least, most]] of Object.entries(allRanges)) {
    const value = given[name];
    if (value === undefined || (Number.isInteger(value) && Number(value) >= least && Number(value) <= most))
      continue;
    throw wrong(`${name} takes a whole number from ${least} to ${most}, got ${JSON.stringify(value)}`);
  }
  const names = ['url', 'tenant', ...needed, ...optional, 'fetch', ...Object.keys(allRanges)];
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw wrong(`unknown option ${unknown}; use one of ${names.join(', ')}`);
}

/** Whether paths can follow a text: they cannot where it has a query, and `fetch` takes no password in it. */
function isServerUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** The address of the API below the URL of a server. */
export function apiOf(url: string): string {
  return `${url.endsWith('/') ? url.slice(0, -1) : url}/v1`;
}

/** Whether a text can stand in a header as one word. */
export function isHeaderWord(text: string): boolean {
  return /^[!-~]{1,16384}$/.test(text);
}
