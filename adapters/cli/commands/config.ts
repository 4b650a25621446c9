import type { Command } from 'commander';
import { nodeResources } from '../../node-http/index.ts';
import { applyConfig, configSchema } from '../options/config.ts';
import { printJson, printRows } from '../print/output.ts';
import type { TableColumn } from '../print/table.ts';
import { nameOf, openStores } from '../stores/open-stores.ts';
import { placesOf, type ConnectionUrls } from '../stores/places.ts';
import type { StoreRole } from '../stores/store-url.ts';

type ConfigRow = readonly [role: StoreRole, place: string];

const COLUMNS: readonly TableColumn<ConfigRow>[] = [
  { head: 'KEEPS', text: ([role]) => role },
  { head: 'AT', text: ([, place]) => place },
];

const EXAMPLE = `
Example:
  $ event-query config check --config event-query.json`;

const HELP = `
A configuration file is JSON. Each key is a flag, such as memoryMax for --memory-max. Flags override
environment variables, and these override the file. To keep a URL with a password in a file of its own,
name the file in EVENT_QUERY_EVENTS_FILE, EVENT_QUERY_CONTROL_FILE or
EVENT_QUERY_LIMITS_FILE.${EXAMPLE}`;

/** `config`: shows the settings that result from flags, environment and files. */
export function configCommand(program: Command): void {
  const config = program
    .command('config')
    .description('check the configuration, or print its schema')
    .addHelpText('after', EXAMPLE);
  config
    .command('check')
    .description('read flags, environment and files as serve does, and connect to every backend')
    .option('--json', 'print {"events", "control", "limits"}')
    .addHelpText('after', HELP)
    .action(async (_options: object, self: Command) => {
      // Read the options of `serve` too.
      applyConfig(program.commands.find((command) => command.name() === 'serve')!);
      const places = placesOf(self);
      const stores = await openStores(places, nodeResources(), 'check');
      await stores.close();
      const rows = toRows(places);
      const { json } = self.opts<{ json?: boolean }>();
      await (json === true ? printJson(Object.fromEntries(rows)) : printRows(rows, COLUMNS));
    });
  config
    .command('schema')
    .description('print the JSON Schema of a configuration file')
    .addHelpText('after', '\nExample:\n  $ event-query config schema > event-query.schema.json')
    .action(() => printJson(configSchema()));
}

function toRows(places: ConnectionUrls): ConfigRow[] {
  return (Object.keys(places) as StoreRole[]).map((role) => [role, nameOf(places[role])]);
}
