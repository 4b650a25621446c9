import type { Command } from 'commander';
import type { Difference, Differences } from '../../../../src/index.ts';
import { barOf } from '../../print/bar.ts';
import { note, printJson, printRows } from '../../print/output.ts';
import { valueText } from '../../print/printable.ts';
import type { TableColumn } from '../../print/table.ts';
import { addAskOptions, ask } from './ask.ts';
import { addCompareOptions, toCompareBody, type CompareFlags } from '../../options/compare-options.ts';
import { addFilterOptions, FILTER_HELP, type FilterOptions } from '../../options/query-options.ts';

interface ReadOptions {
  readonly json?: boolean;
}

const HELP = `
Compares the selected events with the others that match: the values whose shares of the two differ most come
first. Values are printed as JSON, as --filter accepts them; null is for events without one.

Example:
  $ event-query compare shop --after 2025-01-01 --select-after 2025-01-12 --select-before 2025-01-12
  $ event-query compare shop --event purchase --select 'properties.total > 500' --path properties.country`;

/** `compare ALIAS`: what differs between the selected events and the others. */
export function compareCommand(program: Command): void {
  const command = program
    .command('compare <alias>')
    .description('rank the values whose shares of some events and of the others differ most');
  addAskOptions(addFilterOptions(addCompareOptions(command)))
    .option('--json', 'print the response of the HTTP API')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: FilterOptions & CompareFlags, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const body = toCompareBody(options);
      await ask(self, alias, { question: 'compare', body }, async ({ reader }) => {
        const found = await reader.compare(body);
        if (json === true) return printJson(found);
        await printRows(found.rows, columnsOf(found));
        note(describe(found));
      });
    });
}

function columnsOf({ rows }: Differences): readonly TableColumn<Difference>[] {
  const most = rows.reduce((max, { difference }) => Math.max(max, Math.abs(difference)), 0);
  const columns: TableColumn<Difference>[] = [
    { head: 'PATH', text: ({ path }) => path },
    { head: 'VALUE', text: ({ value }) => valueText(value) },
    { head: 'SELECTED', isNumber: true, text: ({ selected }) => String(selected) },
    { head: 'SHARE', isNumber: true, text: ({ selectedShare }) => percentText(selectedShare) },
    { head: 'OTHERS', isNumber: true, text: ({ baseline }) => String(baseline) },
    { head: 'SHARE', isNumber: true, text: ({ baselineShare }) => percentText(baselineShare) },
    { head: 'DIFFERENCE', isNumber: true, text: differenceText },
  ];
  const bar = ({ difference }: Difference) => barOf(Math.abs(difference), most);
  return process.stdout.isTTY ? [...columns, { head: 'BAR', text: bar }] : columns;
}

/** A share in percent, with two decimals. */
function percentText(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

function differenceText({ difference }: Difference): string {
  return `${difference > 0 ? '+' : ''}${(difference * 100).toFixed(2)}`;
}

/** Summarizes what the rows do not show. */
function describe({ selected, baseline, paths, more }: Differences): string {
  const parts = [`${selected} events against ${baseline}, by ${paths.length} paths`];
  if (more) parts.push('there are more paths (--path)');
  return parts.join('; ');
}
