import type { Command } from 'commander';
import type { Properties } from '../../../../src/index.ts';
import { withStores } from '../../stores/open-stores.ts';
import { placesOf } from '../../stores/places.ts';
import { note, printJson, printRows } from '../../print/output.ts';
import type { TableColumn } from '../../print/table.ts';

interface Options {
  readonly event?: string;
  readonly json?: boolean;
}

const COLUMNS: readonly TableColumn<Properties['properties'][number]>[] = [
  { head: 'PATH', text: ({ path }) => path },
  {
    head: 'TYPES',
    text: ({ types }) =>
      Object.entries(types)
        .map(([type, events]) => `${type} ${events}`)
        .join(', '),
  },
  { head: 'EXAMPLES', text: ({ examples }) => examples.map((value) => JSON.stringify(value)).join(', ') },
];

/** `properties ALIAS`: the property paths of events, with types and sample values. */
export function propertiesCommand(program: Command): void {
  program
    .command('properties <alias>')
    .description('print every property path with counts by type and examples')
    .option('--event <name>', 'only for events with this name')
    .option('--json', 'print the response of the HTTP API')
    .addHelpText('after', '\nExample:\n  $ event-query properties shop --event order_placed')
    .action(async (alias: string, _options: object, self: Command) => {
      const { event, json } = self.optsWithGlobals<Options>();
      await withStores(placesOf(self), 'existing', async ({ admin, engine }) => {
        const { id } = await admin.getTenant(alias);
        const found = await engine.tenant(id).properties(event === undefined ? {} : { event });
        if (json === true) return printJson(found);
        await printRows(found.properties, COLUMNS);
        if (found.more) note('not all paths are listed');
      });
    });
}
