import { isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { trustedProxies } from '../../node-http/index.ts';
import { sdkProtocols } from '../../sdks/index.ts';
import { wrongFileName } from '../../sqlite/index.ts';
import { messageOf } from '../process/errors.ts';
import { parseDay, parseInstant, RETENTION_DAYS_MAX } from '../../../src/internal.ts';
import { DAY_MS } from '../../../src/store-kit.ts';

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS } as const;
const DURATION_DAYS_MAX = 3650;
const DURATION_PATTERN = /^(\d{1,9})(ms|[smhd])$/;
const HOST_PATTERN = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;

/** Parses a whole number of 0 or more. The core checks upper limits. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It takes a whole number of 0 or more.');
  return Number(text);
}

/** Parses how many days events are kept. */
export function parseRetentionDays(text: string): number {
  const days = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (!(days >= 1 && days <= RETENTION_DAYS_MAX))
    throw new InvalidArgumentError(
      `It takes whole days from 1 to ${RETENTION_DAYS_MAX}, or none to keep all.`,
    );
  return days;
}

/** Parses a number of things of which there is at least one. */
export function parseCount(text: string): number {
  const count = parseWholeNumber(text);
  if (count === 0) throw new InvalidArgumentError('It takes a whole number of 1 or more.');
  return count;
}

/** Parses a TCP port; 0 lets the system pick one. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It takes a port from 0 to 65535.');
  return port;
}

/** Parses a host name or an IP address to listen on, IPv6 with or without brackets. */
export function parseHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, '$1');
  if (!HOST_PATTERN.test(host) && !isIPv6(host))
    throw new InvalidArgumentError('It takes a host name or an IP address.');
  return host;
}

/** Parses names of hosts without ports, separated by commas. */
export function parseNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => HOST_PATTERN.test(name)))
    throw new InvalidArgumentError('It takes names of hosts without ports, separated by commas.');
  return names;
}

const SDK_HOST_PATTERN = /^([^=]*)=([^/]*)\/([a-z0-9][a-z0-9_-]{0,62})$/;

/**
 * Parses hosts of SDKs that drop the path of an address, such as `ph.example.com=posthog/shop`, separated by
 * commas: by the names of the hosts, the paths below which their requests are.
 */
export function parseSdkHosts(text: string): Readonly<Record<string, string>> {
  const protocols = sdkProtocols().map(({ name }) => name);
  const paths = text.split(',').map((pair) => {
    const [, host = '', protocol = '', alias = ''] = SDK_HOST_PATTERN.exec(pair.trim()) ?? [];
    if (!HOST_PATTERN.test(host) || !protocols.includes(protocol))
      throw new InvalidArgumentError(
        `It takes HOST=PROTOCOL/ALIAS, separated by commas; protocols are ${protocols.join(', ')}.`,
      );
    return [host, `/v1/${protocol}/${alias}`] as const;
  });
  const byHost = Object.fromEntries(paths);
  if (Object.keys(byHost).length < paths.length)
    throw new InvalidArgumentError('It takes each host once: a host has one protocol of one tenant.');
  return byHost;
}

/** Parses the proxies to trust, separated by commas. */
export function parseTrustProxy(text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  try {
    trustedProxies(entries);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
  return entries;
}

const WORKERS_MAX = 256;

/** Parses a number of processes; `auto` means one per available core. */
export function parseWorkers(text: string): number {
  if (text === 'auto') return availableParallelism();
  const workers = /^\d{1,3}$/.test(text) ? Number(text) : NaN;
  if (!(workers >= 1 && workers <= WORKERS_MAX))
    throw new InvalidArgumentError(`It takes a number from 1 to ${WORKERS_MAX}, or auto.`);
  return workers;
}

/** Parses the name of a file, which may be no name that drivers of SQLite read in a way of their own. */
export function parseFile(text: string): string {
  const wrong = wrongFileName(text);
  if (wrong !== undefined) throw new InvalidArgumentError(`It takes ${wrong}.`);
  return text;
}

/** The longest path of a Unix socket, in bytes: what every system takes. */
const SOCKET_BYTES_MAX = 103;

/** Parses the path of a Unix socket. */
export function parseSocket(text: string): string {
  const path = parseFile(text);
  if (Buffer.byteLength(path) > SOCKET_BYTES_MAX)
    throw new InvalidArgumentError(`It takes a path of at most ${SOCKET_BYTES_MAX} bytes.`);
  return path;
}

/** Checks a UTC day in the form of a query, `YYYY-MM-DD`. */
export function parseDate(text: string): string {
  if (parseDay(text) === undefined) throw new InvalidArgumentError('It takes a real date, YYYY-MM-DD.');
  return text;
}

/** Parses an instant of ISO 8601 to epoch milliseconds. */
export function parseMoment(text: string): number {
  const moment = parseInstant(text);
  if (moment === undefined)
    throw new InvalidArgumentError('It takes an ISO 8601 date-time such as 2024-05-01T10:00:00Z.');
  return moment;
}

/**
 * Parses when a key expires, in epoch milliseconds. A key works up to an ISO 8601 instant, or through the
 * whole of a `YYYY-MM-DD` day (UTC), as people read "expires 31 December".
 */
export function parseExpiry(text: string): number {
  const day = parseDay(text);
  const end = day === undefined ? parseInstant(text) : day + DAY_MS;
  if (end === undefined) {
    throw new InvalidArgumentError(
      'It takes YYYY-MM-DD, the last day (UTC) it is valid, or an ISO 8601 instant.',
    );
  }
  if (end <= Date.now()) throw new InvalidArgumentError('It is in the past.');
  return end;
}

/** Parses a duration in milliseconds: `0`, or a number with `ms`, `s`, `m`, `h` or `d`, at most ten years. */
export function parseDuration(text: string): number {
  const match = DURATION_PATTERN.exec(text);
  const ms =
    text === '0' ? 0 : Number(match?.[1] ?? NaN) * UNITS_MS[(match?.[2] ?? 's') as keyof typeof UNITS_MS];
  if (!(ms <= DURATION_DAYS_MAX * DAY_MS)) {
    throw new InvalidArgumentError(
      'It takes 0, or a number with ms, s, m, h or d, such as 500ms, 30m or 7d.',
    );
  }
  return ms;
}

/** Parses a share of a whole: a number above 0, at most 1. */
export function parseShare(text: string): number {
  const share = /^(?:1|0?\.\d{1,9})$/.test(text) ? Number(text) : 0;
  if (share === 0) throw new InvalidArgumentError('It takes a share above 0 and at most 1.');
  return share;
}

const SIZE_UNITS = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

const MEMORY_MIN = 256 * SIZE_UNITS.MiB;

/** Parses an amount of memory in bytes: a whole number, alone or with `KiB`, `MiB` or `GiB`. */
export function parseMemoryMax(text: string): number {
  const match = /^(\d{1,15})(|KiB|MiB|GiB)$/.exec(text);
  const bytes = Number(match?.[1] ?? NaN) * SIZE_UNITS[(match?.[2] ?? '') as keyof typeof SIZE_UNITS];
  if (!(bytes >= MEMORY_MIN && bytes <= Number.MAX_SAFE_INTEGER))
    throw new InvalidArgumentError(
      'It takes 256MiB or more: a number with MiB or GiB, such as 512MiB or 2GiB, or of bytes.',
    );
  return bytes;
}

/** Collects the values of an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
