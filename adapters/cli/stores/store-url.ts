import { misuse } from '../errors.ts';

/** A kind of store, by the scheme of its addresses. */
export type StoreKind = 'sqlite' | 'memory' | 'postgres' | 'clickhouse' | 'redis';

/** Where something is kept: a file, this process, or a server. */
export interface StoreUrl {
  readonly kind: StoreKind;
  /** The file of `sqlite:`, nothing for `memory:`, the whole address of a server with its secrets. */
  readonly address: string;
}

/** What a server keeps, and in which kinds of stores it can be kept. */
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

/** The forms of address that something kept may have, as help and errors name them. */
export const formsOf = (role: StoreRole): string => BACKENDS[role].map((kind) => EXAMPLES[kind]).join(' | ');

/**
 * Reads an address of where events, tenants and keys, or limits are kept. Throws an Error for one that is
 * none or that cannot keep it, and does not repeat it: it may hold a password.
 */
export function parseStoreUrl(role: StoreRole, text: string, flag: string = role): StoreUrl {
  const kind = SCHEMES[/^([a-z]+):/.exec(text)?.[1] ?? ''];
  const backends: readonly StoreKind[] = BACKENDS[role];
  if (kind === undefined || !backends.includes(kind)) throw misuse(`--${flag} takes ${formsOf(role)}`);
  const rest = text.slice(text.indexOf(':') + 1);
  const wrong = () => misuse(`--${flag} takes ${EXAMPLES[kind]}`);
  if (kind === 'sqlite') {
    if (rest === '' || rest.includes('\0')) throw wrong();
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

/** An address as it may be shown: without its password and its query, where drivers take secrets too. */
export function showStoreUrl({ kind, address }: StoreUrl): string {
  if (kind === 'sqlite' || kind === 'memory') return `${kind}:${address}`;
  const { protocol, username, host, pathname } = new URL(address);
  const user = username === '' ? '' : `${username}@`;
  return `${protocol}//${user}${host}${pathname}`;
}

/** Shorter values are no secrets, and parts of other words. */
const SECRET_LENGTH_MIN = 4;

/** What a driver says of an address, without its password and the values of its query. */
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
