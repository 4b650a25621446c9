import type { Command } from 'commander';
import type { Cohort, Retention, RetentionBody } from '../../../../src/index.ts';
import { note, printJson, printRows } from '../../print/output.ts';
import type { TableColumn } from '../../print/table.ts';
import { addAskOptions, ask } from './ask.ts';
import { addFilterOptions, FILTER_HELP, type FilterOptions } from '../../options/query-options.ts';
import { addRetentionOptions, toRetentionBody, type RetentionFlags } from '../../options/sequence-options.ts';

interface ReadOptions {
  readonly json?: boolean;
}

const HELP = `
Each user belongs to the cohort of the first start. Period 0 is that of the start. Dates are about
starts; returns may come later. --or-later counts who returns in a period or in any later one.

Example:
  $ event-query retention shop --start signed_up --return purchase --unit week --periods 8
  $ event-query retention shop --start '*' --return '*' --unit day --periods-from start --or-later`;

/** `retention ALIAS`: how many of each cohort return in each period. */
export function retentionCommand(program: Command): void {
  const command = program
    .command('retention <alias>')
    .description('count how many users return after a start, by cohorts and periods');
  addAskOptions(addFilterOptions(addRetentionOptions(command)))
    .option('--or-later', 'count who returns in a period or later')
    .option('--json', 'print the response of the HTTP API')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(
      async (alias: string, options: FilterOptions & RetentionFlags & { orLater?: true }, self: Command) => {
        const { json } = self.optsWithGlobals<ReadOptions>();
        const body = toRetentionBody(options);
        await ask(self, alias, { question: 'retention', body }, async ({ reader }) => {
          const found = await reader.retention(body);
          if (json === true) return printJson(found);
          await printRows(found.cohorts, columnsOf(found, options.orLater === true ? 'orLater' : 'count'));
          note(describe(found, body));
        });
      },
    );
}

function columnsOf({ cohorts }: Retention, told: 'count' | 'orLater'): readonly TableColumn<Cohort>[] {
  const periods = cohorts[0]?.periods ?? [];
  return [
    { head: 'FROM', text: ({ key }) => key },
    { head: 'STARTED', isNumber: true, text: ({ count }) => String(count) },
    ...periods.map((_, i): TableColumn<Cohort> => {
      return { head: String(i), isNumber: true, text: (cohort) => String(cohort.periods[i]![told]) };
    }),
  ];
}

/** Summarizes what the rows do not show. */
function describe({ total, missing }: Retention, { unit }: RetentionBody): string {
  const parts = [`${total} started; columns are the ${unit}s after that`];
  if (missing > 0) parts.push(`${missing} events without a value of --distinct`);
  return parts.join('; ');
}
