import type { Command } from 'commander';
import type { Breakdown } from '../../../../src/index.ts';
import { TIME_UNITS } from '../../../../src/internal.ts';
import type { Group } from '../../../../src/store-kit.ts';
import { noteEmptyAnswer, noteMissingPath } from '../../events/empty-answer.ts';
import { withReader } from '../../events/open-reader.ts';
import { addRemoteOptions } from '../../events/remote-options.ts';
import { note, printJson, printRows } from '../../print/output.ts';
import { valueText } from '../../print/printable.ts';
import type { TableColumn } from '../../print/table.ts';
import {
  addFilterOptions,
  addGroupOptions,
  FILTER_HELP,
  toBreakdownBody,
  type FilterOptions,
  type GroupOptions,
} from '../../options/query-options.ts';

interface ReadOptions {
  readonly json?: boolean;
}

const HELP = `
Groups are sorted by count. Values are printed as JSON, as --filter accepts them. Time buckets are in UTC and
weeks begin on Monday. Every bucket is printed, with a bar on a terminal.

Example:
  $ event-query breakdown shop --by properties.plan
  $ event-query breakdown shop --by day --distinct userId --after 2025-01-01`;

/** Fits next to the other columns on a terminal of 80 characters. */
const BAR_LENGTH_MAX = 24;

/** `breakdown ALIAS`: groups the events that match. */
export function breakdownCommand(program: Command): void {
  const command = program
    .command('breakdown <alias>')
    .description('count matching events by the values of a property, or by time');
  addRemoteOptions(addFilterOptions(addGroupOptions(command)))
    .option('--json', 'print the response of the HTTP API')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: FilterOptions & GroupOptions, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const body = toBreakdownBody(options);
      await withReader(self, alias, async ({ reader }) => {
        const found = await reader.breakdown(body);
        if (found.total === 0) await noteEmptyAnswer(reader, body);
        if (found.total > 0 && found.missing === found.total && body.by.startsWith('properties.'))
          await noteMissingPath(reader, body.by);
        if (json === true) return printJson(found);
        const isTime = TIME_UNITS.some((unit) => unit === body.by);
        await printRows(found.groups, columnsOf(found, isTime));
        note(describe(found));
      });
    });
}

function columnsOf({ groups, distinct }: Breakdown, isTime: boolean): readonly TableColumn<Group>[] {
  const most = groups.reduce((max, { count }) => Math.max(max, count), 1);
  const columns: TableColumn<Group>[] = [
    { head: isTime ? 'FROM' : 'VALUE', text: ({ key }) => (isTime ? String(key) : valueText(key)) },
    { head: 'EVENTS', text: ({ count }) => String(count) },
  ];
  if (distinct !== undefined) columns.push({ head: 'DISTINCT', text: (group) => String(group.distinct) });
  const bar = ({ count }: Group) => '█'.repeat(Math.ceil((count / most) * BAR_LENGTH_MAX));
  return isTime && process.stdout.isTTY ? [...columns, { head: 'BAR', text: bar }] : columns;
}

/** Summarizes what the rows do not show. */
function describe({ total, missing, arrays, objects, groupsTotal, groups, distinct }: Breakdown): string {
  const apart = [
    [missing, 'without a value'],
    [arrays, 'with an array'],
    [objects, 'with an object'],
  ] as const;
  const parts = apart.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (groupsTotal > groups.length) parts.push(`${groups.length} of ${groupsTotal} groups are shown (--size)`);
  const whole = distinct === undefined ? '' : `, ${distinct} distinct`;
  return [`${total} events${whole}`, ...parts].join('; ');
}
