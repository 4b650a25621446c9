import { Option, type Command } from 'commander';
import { misuse } from '../process/errors.ts';
import { isOnLoopback } from '../values/urls.ts';
import { placesOf, type ConnectionUrls } from '../stores/places.ts';
import { addLogOptions, type LogOptions } from './log-options.ts';
import { oidcOf, type OidcFlags, type OidcSettings } from './oidc-options.ts';
import {
  parseHost,
  parseMemoryMax,
  parseNames,
  parsePort,
  parseSdkHosts,
  parseSocket,
  parseTrustProxy,
} from '../values/parse.ts';

/** The options of `serve` and `demo`. */
export interface ServerOptions extends LogOptions {
  readonly places: ConnectionUrls;
  readonly host: string;
  readonly port: number;
  /** The Unix socket to listen on instead of the host and port. */
  readonly socket?: string;
  /** The proxies whose word on a client's address counts. */
  readonly trustProxy?: readonly string[];
  /** Hosts of SDKs that drop the path of an address, each with the path that its requests are below. */
  readonly sdkHosts?: Readonly<Record<string, string>>;
  /** Whether a file is copied before its schema changes. */
  readonly backup: boolean;
  /** How many bytes of memory each serving process may use. */
  readonly memoryMax: number;
  /** Whether the dashboard is served; without `adminPort`, on the port of the API. */
  readonly dashboard?: boolean;
  /** A port of its own for metrics and for the dashboard. */
  readonly adminPort?: number;
  /** The address at which the admin port listens, whatever the API listens on. */
  readonly adminHost: string;
  /** The names by which metrics are asked, next to IP addresses and `localhost`. */
  readonly adminNames?: readonly string[];
  /** Whether some metrics are counted by tenant. */
  readonly metricsTenants?: boolean;
  /** A further origin, next to those of this machine, by which browsers reach the dashboard. */
  readonly dashboardUrl?: string;
  /** The identity provider through which people sign in. */
  readonly oidc?: OidcSettings | undefined;
  /** How long `/readyz` answers 503 before a server closes, in milliseconds; absent for not at all. */
  readonly drain?: number;
  /** Today's UTC date: the user confirms the clock, so that events are erased after a long gap too. */
  readonly acceptClock?: string;
  /** How many processes serve; absent: only the process of the command itself. */
  readonly workers?: number;
}

/** Adds the flags of the address at which a server listens. */
export function addListenOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--host <host>', 'the address to listen on; 0.0.0.0 or :: for all interfaces')
        .env('EVENT_QUERY_HOST')
        .default('127.0.0.1')
        .argParser(parseHost),
    )
    .addOption(
      new Option('--port <port>', 'the port; 0 picks a free one')
        .env('PORT')
        .default(8787)
        .argParser(parsePort),
    );
}

/** Adds the flag of a Unix socket. */
export function addSocketOption(command: Command): Command {
  return command.addOption(
    new Option('--socket <path>', 'a Unix socket to listen on, instead of --host and --port')
      .env('EVENT_QUERY_SOCKET')
      .argParser(parseSocket),
  );
}

/** Adds the flags of a server. */
export function addServerOptions(command: Command): Command {
  return addLogOptions(addListenOptions(command))
    .addOption(
      new Option('--trust-proxy <proxies>', 'the proxies in front: addresses, CIDR, loopback, private, unix')
        .env('EVENT_QUERY_TRUST_PROXY')
        .argParser(parseTrustProxy),
    )
    .addOption(
      new Option('--sdk-hosts <hosts>', 'hosts for SDKs that drop the path: HOST=PROTOCOL/ALIAS, …')
        .env('EVENT_QUERY_SDK_HOSTS')
        .argParser(parseSdkHosts),
    )
    .addOption(
      new Option('--admin-port <port>', 'a port of its own for metrics, and for the dashboard')
        .env('EVENT_QUERY_ADMIN_PORT')
        .argParser(parsePort),
    )
    .addOption(
      new Option('--admin-host <host>', 'the address that the admin port listens on')
        .env('EVENT_QUERY_ADMIN_HOST')
        .default('127.0.0.1')
        .argParser(parseHost),
    )
    .addOption(
      new Option('--admin-names <names>', 'by which names metrics are asked, besides IP addresses')
        .env('EVENT_QUERY_ADMIN_NAMES')
        .argParser(parseNames),
    )
    .option('--metrics-tenants', 'count some metrics by tenant: the first 100 by their aliases')
    .option('--no-backup', 'do not copy a file of an older schema before it is migrated')
    .addOption(
      new Option('--memory-max <size>', 'the memory limit of the process, or of each worker; at least 256MiB')
        .env('EVENT_QUERY_MEMORY_MAX')
        .default(2 ** 30, '1GiB')
        .argParser(parseMemoryMax),
    );
}

/** The options of a command that serves. Throws an Error when some of them do not fit together. */
export function serverOptionsOf(command: Command): ServerOptions {
  const flags = command.optsWithGlobals<ServerOptions & OidcFlags>();
  const options = { ...flags, places: placesOf(command), oidc: oidcOf(flags) };
  if (options.places.limits.kind === 'memory' && (options.workers ?? 1) > 1)
    throw misuse('limits in memory: belong to one process; with --workers use another --limits backend');
  if (options.metricsTenants === true && options.adminPort === undefined)
    throw misuse('--metrics-tenants: nothing is measured without --admin-port');
  for (const flag of ['adminHost', 'adminNames'] as const) {
    if (options.adminPort === undefined && command.getOptionValueSource(flag) === 'cli')
      throw misuse('--admin-host and --admin-names: there is no such port without --admin-port');
  }
  if (options.socket !== undefined) checkSocket(command, options);
  const { dashboard = false, adminPort, host, adminHost, dashboardUrl, oidc } = options;
  if (!dashboard && (oidc ?? dashboardUrl) !== undefined)
    throw misuse('the --oidc flags and --dashboard-url need --dashboard');
  if (dashboard && adminPort === undefined && dashboardUrl === undefined && !isOnLoopback(host))
    throw misuse(`the dashboard answers on this machine only: with --host ${host} add --admin-port`);
  if (dashboard && adminPort !== undefined && dashboardUrl === undefined && !isOnLoopback(adminHost))
    throw misuse(
      `the dashboard answers on this machine only: with --admin-host ${adminHost} add --dashboard-url`,
    );
  return options;
}

/** Throws an Error where a flag means nothing on a Unix socket. */
function checkSocket(command: Command, { dashboard = false }: ServerOptions): void {
  for (const flag of ['host', 'port']) {
    if (command.getOptionValueSource(flag) === 'cli')
      throw misuse(`--socket is listened on instead of a port: leave --${flag} out`);
  }
  if (dashboard) throw misuse('the dashboard needs a port: leave --socket out');
}
