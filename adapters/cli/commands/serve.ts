import cluster from 'node:cluster';
import { Option, type Command } from 'commander';
import { addOidcOptions } from '../options/oidc-options.ts';
import { addServerOptions, serverOptionsOf } from '../options/server-options.ts';
import { parseWorkers } from '../options/values.ts';
import { write } from '../print/output.ts';
import type { Listening } from '../server/listening.ts';
import { checkControlIsKnown } from '../stores/places.ts';
import { printLink } from './dashboard.ts';

/** `serve`: the HTTP API on the file, until a signal comes. */
export function serveCommand(program: Command): void {
  const serve = program.command('serve').description('serve the HTTP API until SIGINT or SIGTERM');
  addOidcOptions(addServerOptions(serve))
    .addOption(
      new Option(
        '--workers <n>',
        'how many processes serve, or auto for one a core; SIGHUP renews them in turn',
      )
        .env('EVENT_QUERY_WORKERS')
        .default(1)
        .argParser(parseWorkers),
    )
    .option('--dashboard', 'serve the dashboard too, and print a link to sign in by')
    .addHelpText('after', '\nExample:\n  $ event-query serve --host 0.0.0.0 --port 8080 --workers auto')
    .action(async (_options: object, self: Command) => {
      const options = serverOptionsOf(self);
      checkControlIsKnown(self);
      const announce = async ({ url, dashboardUrl }: Listening) => {
        await write(`listening on ${url}\n`);
        if (dashboardUrl !== undefined) await printLink(options.places, dashboardUrl);
      };
      // Its libraries are loaded by the commands that serve only: the others start faster.
      if (cluster.isWorker) {
        await (await import('../server/worker.ts')).runWorker(options);
      } else if (options.workers === 1) {
        await (await import('../server/run-server.ts')).runServer(options, announce);
      } else {
        await (await import('../server/run-workers.ts')).runWorkers(options, announce);
      }
    });
}
