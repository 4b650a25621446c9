import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { toEventJson } from '../../../../src/internal.ts';
import { failure } from '../../process/errors.ts';
import { withStores } from '../../stores/open-stores.ts';
import { placesOf } from '../../stores/places.ts';
import { writeJson } from '../../print/output.ts';
import { listenForSignals } from '../../process/signals.ts';
import {
  addFilterOptions,
  FILTER_HELP,
  toEventQuery,
  type FilterOptions,
} from '../../options/query-options.ts';

/** How often the store is polled. */
const LOOK_MS = 250;

/** How many events are printed at once. */
const SIZE = 1000;

const HELP = `
Prints events as NDJSON in order of arrival, late ones included, until Ctrl-C.

Example:
  $ event-query tail shop --event order_placed`;

/** `tail ALIAS`: the events that match, as they arrive. */
export function tailCommand(program: Command): void {
  addFilterOptions(program.command('tail <alias>').description('print matching events as they arrive'))
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: FilterOptions, self: Command) => {
      const query = toEventQuery(options);
      await withStores(placesOf(self), 'existing', async ({ admin, stores: { events } }) => {
        const { id } = await admin.getTenant(alias);
        if (events.since === undefined)
          throw failure('this store does not tell in which order events arrived');
        const signals = listenForSignals();
        try {
          let { position } = await events.since(id, query, undefined, SIZE);
          while (!signals.came()) {
            const found = await events.since(id, query, position, SIZE);
            position = found.position;
            await writeJson(found.events.map((event) => `${toEventJson(event)}\n`).join(''));
            if (found.events.length === 0) await Promise.race([sleep(LOOK_MS), signals.received]);
          }
        } finally {
          signals.forget();
        }
      });
    });
}
