import { wrongFileName } from '../../sqlite/index.ts';
import { misuse } from '../process/errors.ts';

/** A kind of store, named after the scheme of its URLs. */
export type StoreKind = 'sqlite' | 'memory' | 'postgres' | 'clickhouse' | 'redis';

/** Where data is kept: in a file, in this process, or on a server. */
export interface StoreUrl {
  readonly kind: StoreKind;
  /** The file of `sqlite:`, empty for `memory:`, the whole URL of a server, including secrets. */
  readonly address: string;
}

/** The kinds of stores that can keep each kind of data. */
export const BACKENDS = {
  events: ['sqlite', 'postgres', 'clickhouse'],
  control: ['sqlite', 'postgres'],
  limits: ['memory', 'sqlite', 'postgres', 'redis'],
} as const satisfies Record<string, readonly StoreKind[]>;

export type StoreRole = keyof typeof BACKENDS;

const SCHEMES: Readonly<Record<string, StoreKind>> = {
  sqlite: 'sqlite',
  memory: 'memory',
  postgres: 'postgres',
  postgresql: 'postgres',
  clickhouse: 'clickhouse',
  clickhouses: 'clickhouse',
  redis: 'redis',
  rediss: 'redis',
};

const EXAMPLES: Readonly<Record<StoreKind, string>> = {
  sqlite: 'sqlite:FILE',
  memory: 'memory:',
  postgres: 'postgres://user@host/database',
  clickhouse: 'clickhouse://user@host:8123/database',
  redis: 'redis://host:6379',
};

/** The URL forms for a kind of data, for help and error messages. */
export const formsOf = (role: StoreRole): string => BACKENDS[role].map((kind) => EXAMPLES[kind]).join(' | ');

/**
 * Parses the URL of a store. Throws an Error when it is invalid, or its kind cannot keep this data. The error
 * does not repeat the URL, which may contain a password.
 */
export function parseStoreUrl(role: StoreRole, text: string, flag: string = role): StoreUrl {
  const kind = SCHEMES[/^([a-z]+):/.exec(text)?.[1] ?? ''];
  const backends: readonly StoreKind[] = BACKENDS[role];
  if (kind === undefined || !backends.includes(kind)) throw misuse(`--${flag} takes ${formsOf(role)}`);
  const rest = text.slice(text.indexOf(':') + 1);
  const wrong = () => misuse(`--${flag} takes ${EXAMPLES[kind]}`);
  if (kind === 'sqlite') {
    if (rest === '') throw wrong();
    const why = wrongFileName(rest);
    if (why !== undefined) throw misuse(`--${flag} takes ${EXAMPLES[kind]}: ${why}`);
    return { kind, address: rest };
  }
  if (kind === 'memory') {
    if (rest !== '') throw wrong();
    return { kind, address: '' };
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '') throw wrong();
  return { kind, address: text };
}

/** A URL for display, without the password and the query, which may hold secrets of the driver. */
export function showStoreUrl({ kind, address }: StoreUrl): string {
  if (kind === 'sqlite' || kind === 'memory') return `${kind}:${address}`;
  const { protocol, username, host, pathname } = new URL(address);
  const user = username === '' ? '' : `${username}@`;
  return `${protocol}//${user}${host}${pathname}`;
}

/** Shorter values are not secrets, and occur within other words. */
const SECRET_LENGTH_MIN = 4;

/** Hides the password and the query values of a URL in the text of a driver's error. */
export function hideSecrets({ kind, address }: StoreUrl, text: string): string {
  if (kind === 'sqlite' || kind === 'memory') return text;
  const { password, searchParams, search } = new URL(address);
  const raw = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const secrets = [password, decoded(password), ...searchParams.values(), ...raw];
  return secrets
    .filter(({ length }) => length >= SECRET_LENGTH_MIN)
    .sort((a, b) => b.length - a.length)
    .reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
