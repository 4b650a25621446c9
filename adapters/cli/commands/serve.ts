import type { Command } from 'commander';
import { addServerOptions, type ServerOptions } from '../options/server-options.ts';
import { write } from '../print/output.ts';

/** `serve`: the HTTP API on the file, until a signal comes. */
export function serveCommand(program: Command): void {
  addServerOptions(program.command('serve').description('serve the HTTP API until SIGINT or SIGTERM'))
    .addHelpText('after', '\nExample:\n  $ event-query serve --host 0.0.0.0 --port 8080')
    .action(async (_options: object, self: Command) => {
      // Its libraries are loaded by the commands that serve only: the others start faster.
      const { runServer } = await import('../server/run-server.ts');
      await runServer(self.optsWithGlobals<ServerOptions>(), ({ url }) => write(`listening on ${url}\n`));
    });
}
