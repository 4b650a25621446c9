import type { Command } from 'commander';
import type { Properties } from '../../../../src/index.ts';
import { noteMissingName } from '../../events/empty-answer.ts';
import { withReader } from '../../events/open-reader.ts';
import { addRemoteOptions } from '../../events/remote-options.ts';
import { note, printJson, printRows } from '../../print/output.ts';
import { valueText } from '../../print/printable.ts';
import type { TableColumn } from '../../print/table.ts';

interface Options {
  readonly event?: string;
  readonly json?: boolean;
}

const COLUMNS: readonly TableColumn<Properties['properties'][number]>[] = [
  { head: 'PATH', text: ({ path }) => path },
  {
    head: 'TYPES',
    text: ({ types, arraysOfObjects: held }) =>
      Object.entries(types)
        .map(
          ([type, events]) => `${type} ${events}${type === 'array' && held ? ` (${held} with objects)` : ''}`,
        )
        .join(', '),
  },
  { head: 'EXAMPLES', text: ({ examples }) => examples.map(valueText).join(', ') },
];

/** `properties ALIAS`: the property paths of events, with types and sample values. */
export function propertiesCommand(program: Command): void {
  const command = program
    .command('properties <alias>')
    .description('print every property path with counts by type and examples');
  addRemoteOptions(command)
    .option('--event <name>', 'only for events with this name')
    .option('--json', 'print the response of the HTTP API')
    .addHelpText('after', '\nExample:\n  $ event-query properties shop --event order_placed')
    .action(async (alias: string, _options: object, self: Command) => {
      const { event, json } = self.optsWithGlobals<Options>();
      await withReader(self, alias, async ({ reader }) => {
        const found = await reader.properties({ event });
        if (found.properties.length === 0) await noteMissingName(reader, event);
        if (json === true) return printJson(found);
        await printRows(found.properties, COLUMNS);
        if (found.properties.some(({ arraysOfObjects }) => arraysOfObjects !== undefined))
          note('filters do not look into arrays of objects: what is in them has no path');
        if (found.more) note('not all paths are listed');
      });
    });
}
