import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { messageOf } from '../process/errors.ts';

/** The URL of a host and port. */
export function toUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The address of a Unix socket, as it is printed. */
export function toSocketUrl(path: string): string {
  return `unix:${resolve(path)}`;
}

/** The host by which this machine reaches a server, also when it listens on all addresses. */
export function toLocalHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return /^[0:]+$/.test(host) ? '::1' : host;
}

const LOOPBACK_PATTERN = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Whether a server that listens on this host is reachable through a loopback address. */
export function isOnLoopback(host: string): boolean {
  return LOOPBACK_PATTERN.test(toLocalHost(host));
}

/** The flag of the port, as who started this by `npm start` has to write it. */
const PORT_FLAG = process.env.npm_lifecycle_event === 'start' ? 'npm start -- --port' : '--port';

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: `the port is in use; choose another with ${PORT_FLAG} or PORT`,
  EACCES: 'not permitted; choose a port from 1024 on',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be resolved',
};

/** Describes why a server cannot listen on an address. */
export function describeListenError(error: unknown): string {
  return describeError(error, LISTEN_ERRORS);
}

function describeError(error: unknown, words: Readonly<Record<string, string>>): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return words[code] ?? messageOf(error);
}

const SOCKET_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something is at this path already',
  // Node says this of a missing folder too.
  EACCES: 'its folder does not exist, or this user may not write to it',
  ENOTDIR: 'its folder is a file',
};

/** Describes why a server cannot listen on a Unix socket. */
export function describeSocketError(error: unknown): string {
  return describeError(error, SOCKET_ERRORS);
}

/** Parses the URL of a server, and drops a slash at its end. */
export function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isServer = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isServer || url.username !== '' || url.password !== '' || /[?#]/.test(text))
    throw new InvalidArgumentError('It takes a URL such as http://127.0.0.1:8787.');
  return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href;
}
