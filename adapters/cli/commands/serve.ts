import cluster from 'node:cluster';
import { Option, type Command } from 'commander';
import { applyConfig } from '../options/config.ts';
import { addOidcOptions } from '../options/oidc-options.ts';
import {
  addServerOptions,
  addSocketOption,
  serverOptionsOf,
  type ServerOptions,
} from '../options/server-options.ts';
import { inGroup } from '../print/in-group.ts';
import { isOnLoopback, toLocalHost } from '../values/urls.ts';
import { parseDate, parseDuration, parseWorkers } from '../values/parse.ts';
import { isQuiet, note, remark } from '../print/output.ts';
import type { Listening } from '../server/listening.ts';
import { checkControlIsKnown } from '../stores/places.ts';
import { printLink } from './dashboard/link.ts';

/** Long enough for load balancers to notice: they poll `/readyz` every few seconds. */
const DRAIN_MS = 5_000;

/** `serve`: serves the HTTP API until a signal arrives. */
export function serveCommand(program: Command): void {
  const serve = program.command('serve').description('serve the HTTP API until SIGINT or SIGTERM');
  inGroup(addSocketOption(addServerOptions(serve)), 'Sign-in by an identity provider:', addOidcOptions)
    .addOption(
      new Option(
        '--workers <n>',
        'number of processes, or auto for one per core; with several, SIGHUP replaces them one by one',
      )
        .env('EVENT_QUERY_WORKERS')
        .default(1)
        .argParser(parseWorkers),
    )
    .addOption(
      new Option(
        '--drain <time>',
        'how long /readyz is 503 after SIGTERM before the port closes (default: 5s, 0 on a terminal)',
      )
        .env('EVENT_QUERY_DRAIN')
        .argParser(parseDuration),
    )
    .addOption(
      new Option(
        '--accept-clock <date>',
        'today, YYYY-MM-DD: confirms the clock so that retention resumes after days without a server',
      ).argParser(parseDate),
    )
    .option('--dashboard', 'serve the dashboard too, and print a sign-in link')
    .addHelpText('after', '\nExample:\n  $ event-query serve --host 0.0.0.0 --port 8080 --workers auto')
    .action(async (_options: object, self: Command) => {
      const options = readOptions(self);
      checkControlIsKnown(self);
      if (cluster.isPrimary) noteAdminPort(options);
      const announce = async ({ url, dashboardUrl, metricsUrl }: Listening) => {
        await remark(`listening on ${url}\n`);
        if (metricsUrl !== undefined) await remark(`metrics at ${metricsUrl}\n`);
        if (dashboardUrl !== undefined && !isQuiet()) await printLink(options.places, dashboardUrl);
      };
      // Load the server's libraries only here, so that other commands start faster.
      if (cluster.isWorker) {
        await (await import('../server/worker.ts')).runWorker(options);
      } else if (options.workers === 1) {
        const { runServer } = await import('../server/run-server.ts');
        await runServer(options, announce, () => (applyConfig(self), readOptions(self)));
      } else {
        await (await import('../server/run-workers.ts')).runWorkers(options, announce);
      }
    });
}

/**
 * The options of the command. A server in a terminal has no load balancer, so it does not drain by default.
 */
function readOptions(command: Command): ServerOptions {
  return { drain: process.stdout.isTTY ? 0 : DRAIN_MS, ...serverOptionsOf(command) };
}

/**
 * Says who can read the metrics, and where a proxy has to lead if the dashboard has a port of its own: the
 * API's port serves none of it.
 */
function noteAdminPort({ adminPort, adminHost, dashboardUrl }: ServerOptions): void {
  if (adminPort !== undefined && (toLocalHost(adminHost) !== adminHost || !isOnLoopback(adminHost)))
    note(`metrics need no key: all who reach port ${adminPort} on ${adminHost} can read them`);
  if (adminPort !== undefined && dashboardUrl !== undefined)
    note(`the dashboard is on port ${adminPort}: ${dashboardUrl} has to lead there, not to the API's port`);
}
