import { Option, type Command } from 'commander';
import type { Breakdown, BreakdownBody, MeasuredNumbers, Whole } from '../../../../src/index.ts';
import type { Told } from '../../../../src/store-kit.ts';
import { noteEmptyAnswer, noteMissingPath } from '../../events/empty-answer.ts';
import { barOf } from '../../print/bar.ts';
import { note, printJson, printRows, write } from '../../print/output.ts';
import type { TableColumn } from '../../print/table.ts';
import { addAskOptions, ask } from './ask.ts';
import { toBreakdownCsv } from './breakdown-csv.ts';
import { addGroupOptions, toBreakdownBody, type GroupOptions } from '../../options/group-options.ts';
import { addFilterOptions, FILTER_HELP, type FilterOptions } from '../../options/query-options.ts';
import {
  cellLines,
  crossColumns,
  dimensionsOf,
  figureText,
  headOf,
  rowsOf,
  type KeyedRow,
  type PrintedDimension,
} from './cross-table.ts';

interface ReadOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
}

const HELP = `
Groups are sorted by count. Values are printed as JSON, as --filter accepts them. Time buckets are in
UTC or in --time-zone, and weeks begin on Monday. Every bucket is printed, with a bar on a terminal.

Example:
  $ event-query breakdown shop --by properties.plan
  $ event-query breakdown shop --by day --distinct userId --after 2025-01-01
  $ event-query breakdown shop --by day --measure 'properties.total: sum avg p95'
  $ event-query breakdown shop --by properties.plan --by week --size 10x8 --rest

--measure takes sum, avg, min, max and percentiles from p0 to p100 of the numbers at a path: exact sums of the
numbers as they are written, and percentiles that are one of the numbers. Without --by it is of all events.
With --by twice, a terminal shows a table, whose cells are the first figure or else events; anything else
gets a line for each cell, with its row, its column and all that is told of it. In CSV the rest has no key.`;

/** `breakdown ALIAS`: groups the events that match. */
export function breakdownCommand(program: Command): void {
  const command = program
    .command('breakdown <alias>')
    .description('count matching events by the values of a property, or by time, and measure them');
  addAskOptions(addFilterOptions(addGroupOptions(command)))
    .option('--json', 'print the response of the HTTP API')
    .addOption(new Option('--csv', 'print CSV with a header').conflicts('json'))
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: FilterOptions & GroupOptions, self: Command) => {
      const { json, csv } = self.optsWithGlobals<ReadOptions>();
      const body = toBreakdownBody(options);
      await ask(self, alias, { question: 'breakdown', body }, async ({ reader }) => {
        const found = await reader.breakdown(body);
        if (found.total === 0) await noteEmptyAnswer(reader, body);
        for (const path of missingPaths(body, found)) await noteMissingPath(reader, path);
        if (json === true) return printJson(found);
        if (csv === true) await write(toBreakdownCsv(found, body));
        else if ('groups' in found) await printGroups(found, body);
        else await printRows([{ ...found, count: found.total }], countColumns(found, body));
        note(describe(found, body));
      });
    });
}

/** The paths at which no event has what was asked for. */
function missingPaths({ by, measures = [] }: BreakdownBody, found: Breakdown | Whole): string[] {
  if (found.total === 0) return [];
  const [first = ''] = [by].flat();
  const isMissing = 'groups' in found && found.missing === found.total && first.startsWith('properties.');
  const measured = measures.filter((_, i) => {
    const { numbers, others } = found.measures?.[i] ?? {};
    return numbers === 0 && others === 0;
  });
  return [...(isMissing ? [first] : []), ...measured.map(({ of }) => of)];
}

async function printGroups(found: Breakdown, body: BreakdownBody): Promise<void> {
  const [rows, columns] = dimensionsOf(body);
  if (found.columns === undefined) return printRows(rowsOf(found, body), columnsOf(found, rows!, body));
  if (process.stdout.isTTY) {
    const first = { head: headOf(rows!), text: rows!.keyText };
    return printRows(rowsOf(found, body), [first, ...crossColumns(found, body, columns!)]);
  }
  await printRows(cellLines(found, body, [rows!, columns!]), [
    { head: headOf(rows!), text: ({ row }) => row },
    { head: headOf(columns!), text: ({ column }) => column },
    ...countColumns(found, body),
  ]);
}

function columnsOf(
  found: Breakdown,
  dimension: PrintedDimension,
  body: BreakdownBody,
): readonly TableColumn<KeyedRow>[] {
  const most = found.groups.reduce((max, { count }) => Math.max(max, count), 0);
  const columns: TableColumn<KeyedRow>[] = [
    { head: headOf(dimension), text: dimension.keyText },
    ...countColumns(found, body),
  ];
  const bar = ({ count, key }: KeyedRow) => (key === undefined ? '' : barOf(count, most));
  return dimension.isTime && process.stdout.isTTY ? [...columns, { head: 'BAR', text: bar }] : columns;
}

function countColumns({ distinct }: Whole, { measures = [] }: BreakdownBody): TableColumn<Told>[] {
  const columns: TableColumn<Told>[] = [{ head: 'EVENTS', text: ({ count }) => String(count) }];
  if (distinct !== undefined) columns.push({ head: 'DISTINCT', text: (group) => String(group.distinct) });
  for (const [i, { of, take }] of measures.entries())
    for (const name of take) {
      const head = measures.length === 1 ? name.toUpperCase() : `${name.toUpperCase()} ${of}`;
      columns.push({
        head,
        isNumber: true,
        text: (group) => figureText(group.measures?.[i]?.[name]),
      });
    }
  return columns;
}

/** Summarizes what the rows do not show. */
function describe(found: Breakdown | Whole, { measures = [] }: BreakdownBody): string {
  const measured = measures.map(({ of, take }, i) => {
    const { numbers, others = 0, ...figures } = found.measures?.[i] ?? {};
    const own: MeasuredNumbers = figures;
    const told = 'groups' in found ? take.map((name) => `${name} ${figureText(own[name]) || 'none'}`) : [];
    if (numbers !== undefined) told.push(`${numbers} numbers`);
    if (others > 0) told.push(`${others} of other types`);
    return told.length === 0 ? '' : `${of}: ${told.join(', ')}`;
  });
  const whole = found.distinct === undefined ? '' : `, ${found.distinct} distinct`;
  const apart = 'groups' in found ? describeGroups(found) : [];
  return [`${found.total} events${whole}`, ...apart, ...measured.filter((text) => text !== '')].join('; ');
}

function describeGroups({ missing, arrays, objects, groupsTotal, groups, ...crossed }: Breakdown): string[] {
  const { columns, columnsTotal = 0 } = crossed;
  const apart = [
    [missing, 'without a value'],
    [arrays, 'with an array'],
    [objects, 'with an object'],
  ] as const;
  const parts = apart.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (groupsTotal > groups.length) parts.push(`${groups.length} of ${groupsTotal} groups are shown (--size)`);
  if (columns !== undefined && columnsTotal > columns.length)
    parts.push(`${columns.length} of ${columnsTotal} columns are shown (--size)`);
  return parts;
}
