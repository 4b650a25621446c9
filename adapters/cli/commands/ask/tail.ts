import type { Command } from 'commander';
import { toEventJson } from '../../../../src/internal.ts';
import { writeJson } from '../../print/output.ts';
import { listenForSignals } from '../../process/signals.ts';
import { addAskOptions, ask } from './ask.ts';
import {
  addFilterOptions,
  addShownOptions,
  FILTER_HELP,
  toTailBody,
  type FilterOptions,
  type ShownOptions,
} from '../../options/query-options.ts';

const HELP = `
Prints events as NDJSON in order of arrival, late ones included, until Ctrl-C.

Example:
  $ event-query tail shop --event order_placed`;

/** `tail ALIAS`: the events that match, as they arrive. */
export function tailCommand(program: Command): void {
  const command = program.command('tail <alias>').description('print matching events as they arrive');
  addAskOptions(addShownOptions(addFilterOptions(command)))
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: FilterOptions & ShownOptions, self: Command) => {
      const body = toTailBody(options);
      await ask(self, alias, { question: 'tail', body }, async ({ reader }) => {
        const signals = listenForSignals();
        try {
          for await (const events of reader.storedArrivals(body, signals.aborted))
            await writeJson(events.map((event) => `${toEventJson(event, body.include)}\n`).join(''));
        } finally {
          signals.forget();
        }
      });
    });
}
