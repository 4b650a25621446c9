import type { Command } from 'commander';
import { write } from '../print/output.ts';
import { addServerOptions, runServer, type ServerOptions } from '../run-server.ts';

/** `serve`: the HTTP API on the file, until a signal comes. */
export function serveCommand(program: Command): void {
  addServerOptions(program.command('serve').description('serve the HTTP API until SIGINT or SIGTERM'))
    .addHelpText('after', '\nExample:\n  $ event-query serve --host 0.0.0.0 --port 8080')
    .action(async (_options: object, self: Command) => {
      await runServer(self.optsWithGlobals<ServerOptions>(), ({ url }) => write(`listening on ${url}\n`));
    });
}
