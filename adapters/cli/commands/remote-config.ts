import type { Command } from 'commander';
import type { ConfigEntry } from '../../../src/store-kit.ts';
import { withStores } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';
import { printList } from '../print/output.ts';
import type { TableColumn } from '../print/table.ts';

interface Printing {
  readonly json?: boolean;
}

const COLUMNS: readonly TableColumn<ConfigEntry>[] = [
  { head: 'KEY', text: ({ key }) => key },
  { head: 'VALUE', text: ({ value }) => value },
];

const HELP = `
Pages read these values by getConfig of the web SDK. Who may read them is who may send events: with the
strategy NONE, everybody. So they are no place for secrets.
--json prints an array of {"key", "value"}.`;

/** `remote-config`: set, list, unset. */
export function remoteConfigCommand(program: Command): void {
  const config = program
    .command('remote-config')
    .description('set the values that pages read with the web SDK')
    .addHelpText('after', '\nExample:\n  $ event-query remote-config set shop hero_text "Hello"');
  config
    .command('set <alias> <key> <value>')
    .description('set the value of a key; takes effect from the next request')
    .option('--json', 'print all values as JSON')
    .addHelpText('after', `${HELP}\n\nExample:\n  $ event-query remote-config set shop hero_text "Hello"`)
    .action(async (alias: string, key: string, value: string, _options: object, self: Command) => {
      await withStores(placesOf(self), 'existing', async ({ admin }) =>
        print(await admin.setConfig(alias, key, value), self),
      );
    });
  config
    .command('list <alias>')
    .description('list the keys of a tenant with their values')
    .option('--json', 'print all values as JSON')
    .addHelpText('after', `${HELP}\n\nExample:\n  $ event-query remote-config list shop`)
    .action(async (alias: string, _options: object, self: Command) => {
      await withStores(placesOf(self), 'existing', async ({ admin }) =>
        print(await admin.listConfig(alias), self),
      );
    });
  config
    .command('unset <alias> <key>')
    .description('remove a key; pages then use their defaults')
    .option('--json', 'print the other values as JSON')
    .addHelpText('after', `${HELP}\n\nExample:\n  $ event-query remote-config unset shop hero_text`)
    .action(async (alias: string, key: string, _options: object, self: Command) => {
      await withStores(placesOf(self), 'existing', async ({ admin }) =>
        print(await admin.unsetConfig(alias, key), self),
      );
    });
}

async function print(entries: readonly ConfigEntry[], self: Command): Promise<void> {
  const { json } = self.optsWithGlobals<Printing>();
  await printList(entries, COLUMNS, json);
}
