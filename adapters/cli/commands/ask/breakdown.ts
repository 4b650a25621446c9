import type { Command } from 'commander';
import type { Breakdown, BreakdownBody, MeasuredNumbers, Whole } from '../../../../src/index.ts';
import { exactJson, TIME_UNITS } from '../../../../src/internal.ts';
import type { Group, Told } from '../../../../src/store-kit.ts';
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
Groups are sorted by count. Values are printed as JSON, as --filter accepts them. Time buckets are in
UTC or in --time-zone, and weeks begin on Monday. Every bucket is printed, with a bar on a terminal.

Example:
  $ event-query breakdown shop --by properties.plan
  $ event-query breakdown shop --by day --distinct userId --after 2025-01-01
  $ event-query breakdown shop --by day --measure 'properties.total: sum avg p95'

--measure takes sum, avg, min, max and percentiles from p0 to p100 of the numbers at a path: exact sums of the
numbers as they are written, and percentiles that are one of the numbers. Without --by it is of all events.`;

/** Fits next to the other columns on a terminal of 80 characters. */
const BAR_LENGTH_MAX = 24;

/** `breakdown ALIAS`: groups the events that match. */
export function breakdownCommand(program: Command): void {
  const command = program
    .command('breakdown <alias>')
    .description('count matching events by the values of a property, or by time, and measure them');
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
        for (const path of missingPaths(body, found)) await noteMissingPath(reader, path);
        if (json === true) return printJson(found);
        if ('groups' in found) {
          const isTime = TIME_UNITS.some((unit) => unit === body.by);
          await printRows(found.groups, columnsOf(found, isTime, body));
        } else await printRows([{ ...found, count: found.total }], countColumns(found, body));
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

function columnsOf(found: Breakdown, isTime: boolean, body: BreakdownBody): readonly TableColumn<Group>[] {
  const most = found.groups.reduce((max, { count }) => Math.max(max, count), 1);
  const columns: TableColumn<Group>[] = [
    { head: isTime ? 'FROM' : 'VALUE', text: ({ key }) => (isTime ? String(key) : valueText(key)) },
    ...countColumns(found, body),
  ];
  const bar = ({ count }: Group) => '█'.repeat(Math.ceil((count / most) * BAR_LENGTH_MAX));
  return isTime && process.stdout.isTTY ? [...columns, { head: 'BAR', text: bar }] : columns;
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

/** A figure as the HTTP API writes it; nothing where it is null. */
function figureText(figure: number | string | null | undefined): string {
  return typeof figure === 'number' ? exactJson(String(figure)) : (figure ?? '');
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

function describeGroups({ missing, arrays, objects, groupsTotal, groups }: Breakdown): string[] {
  const apart = [
    [missing, 'without a value'],
    [arrays, 'with an array'],
    [objects, 'with an object'],
  ] as const;
  const parts = apart.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (groupsTotal > groups.length) parts.push(`${groups.length} of ${groupsTotal} groups are shown (--size)`);
  return parts;
}
