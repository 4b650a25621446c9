import type { Command } from 'commander';
import { toIsoInstant, type ToldRefusal } from '../../../src/store-kit.ts';
import { note, printList } from '../print/output.ts';
import type { TableColumn } from '../print/table.ts';
import { withStores } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';

interface RefusalsOptions {
  readonly clear?: boolean;
  readonly json?: boolean;
}

const HELP = `
One row for each reason, the latest first. A server stores what it refuses every two seconds. --json prints
an array with reason, of (events or requests: what is counted), why, count, firstAt, lastAt and example: the
keys, types and lengths of a recent event without its values, null where anybody may have sent it.

Example:
  $ event-query refusals shop`;

/** Refusals as they are printed. */
type RefusalView = Omit<ToldRefusal, 'firstAt' | 'lastAt'> & Record<'firstAt' | 'lastAt', string>;

const COLUMNS: readonly TableColumn<RefusalView>[] = [
  { head: 'COUNT', text: ({ count }) => String(count) },
  { head: 'OF', text: ({ of }) => of },
  { head: 'REASON', text: ({ reason }) => reason },
  { head: 'FIRST AT', text: ({ firstAt }) => firstAt },
  { head: 'LAST AT', text: ({ lastAt }) => lastAt },
  { head: 'WHY', text: ({ why }) => why },
];

/** `refusals ALIAS`: what was refused of a tenant's senders, and why. */
export function refusalsCommand(program: Command): void {
  program
    .command('refusals <alias>')
    .description('show which events and batches were refused, and why')
    .option('--clear', 'forget them once they are printed')
    .option('--json', 'print an array of refusals as JSON')
    .addHelpText('after', HELP)
    .action(async (alias: string, { clear = false }: RefusalsOptions, self: Command) => {
      const { json } = self.optsWithGlobals<RefusalsOptions>();
      await withStores(placesOf(self), 'existing', async ({ admin }) => {
        // The name is looked up first, so that a wrong one is told with the nearest one.
        await admin.getTenant(alias);
        const views = (await admin.listRefusals(alias)).map(toView);
        await printList(views, COLUMNS, json);
        if (!clear) return;
        await admin.clearRefusals(alias);
        note(`the refusals of ${alias} are forgotten`);
      });
    });
}

function toView({ firstAt, lastAt, ...refusal }: ToldRefusal): RefusalView {
  return { ...refusal, firstAt: toIsoInstant(firstAt), lastAt: toIsoInstant(lastAt) };
}
