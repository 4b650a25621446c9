import type { Command } from 'commander';
import type { Explanation } from '../../../../src/index.ts';
import { describeMismatch } from '../../events/empty-answer.ts';
import { withReader } from '../../events/open-reader.ts';
import { addRemoteOptions } from '../../events/remote-options.ts';
import { note, printJson, printRows } from '../../print/output.ts';
import { valueText } from '../../print/printable.ts';
import { toFilterText } from '../../options/filter-text.ts';
import {
  addFilterOptions,
  addPageOptions,
  FILTER_HELP,
  toQueryBody,
  type FilterOptions,
  type PageOptions,
} from '../../options/query-options.ts';

interface ReadOptions {
  readonly json?: boolean;
}

const HELP = `
Prints how each filter was understood, unknown property paths with the likely intended ones, and what answers
the query: a column, the order of time, hashes of ids, or the events.

Example:
  $ event-query explain shop --event order_placed --filter 'properties.plam = "pro"'`;

/** `explain ALIAS`: how a query is understood and executed. */
export function explainCommand(program: Command): void {
  const command = program
    .command('explain <alias>')
    .description('print what a query means, without running it');
  addRemoteOptions(addPageOptions(addFilterOptions(command)))
    .option('--json', 'print the response of the HTTP API')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: FilterOptions & PageOptions, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const body = toQueryBody(options);
      await withReader(self, alias, async ({ reader }) => {
        const found = await reader.explain(body);
        if (json === true) return printJson(found);
        await printRows(linesOf(found), [
          { head: 'WHAT', text: ([what]) => what },
          { head: 'IS', text: ([, is]) => is },
        ]);
        if (found.more) note('not all paths are listed: an unknown one may exist');
      });
    });
}

function linesOf({
  query,
  unknownPaths,
  pathsIntoArrays = [],
  typeMismatches = [],
  plan,
  timeZone,
  timeZoneData,
}: Explanation): readonly (readonly [string, string])[] {
  return [
    ...query.filterSet.map(
      (entry) => ['filter', 'property' in entry ? toFilterText(entry) : valueText(entry)] as const,
    ),
    ['page', valueText(query.pagination)],
    ...unknownPaths.map(({ path, nearest }) => {
      const meant = nearest.length === 0 ? '' : `; perhaps ${nearest.join(', ')}`;
      return ['unknown path', `${path}${meant}`] as const;
    }),
    ...pathsIntoArrays.map(({ path, array, events }) => {
      return [
        'into an array',
        `${path}: in ${events} events ${array} is an array, which filters do not look into`,
      ] as const;
    }),
    ...typeMismatches.map((mismatch) => ['other type', describeMismatch(mismatch)] as const),
    ...toPlanLines(plan),
    ...(timeZone === undefined ? [] : [['time zone', `${timeZone}${versionOf(timeZoneData)}`] as const]),
  ];
}

function versionOf(timeZoneData: string | undefined): string {
  return timeZoneData === undefined ? '' : `, by the data of ${timeZoneData}`;
}

function toPlanLines(plan: Explanation['plan']): readonly (readonly [string, string])[] {
  if (plan.by === 'store') return [['answered by', 'the store']];
  const paths = plan.paths.map(({ path, from, read }) => {
    return ['from', `${FROM[from]} ${path}: ${read} of ${plan.events} events read`] as const;
  });
  return [['answered by', 'columns'], ...paths];
}

const FROM = {
  column: 'the column of',
  order: 'the order of',
  hashes: 'hashes of',
  events: 'the events, for',
  index: "the store's index of",
} as const;
