import type { Command } from 'commander';
import type { Sequence, SequenceBody, SequenceGroup, SequenceStep } from '../../../../src/index.ts';
import { noteEmptyAnswer } from '../../events/empty-answer.ts';
import { barOf } from '../../print/bar.ts';
import { note, printJson, printRows } from '../../print/output.ts';
import type { TableColumn } from '../../print/table.ts';
import { addFilterOptions, FILTER_HELP, type FilterOptions } from '../../options/query-options.ts';
import { addAskOptions, ask } from './ask.ts';
import { dimensionsOf, headOf } from './cross-table.ts';
import { addSequenceOptions, toSequenceBody, type SequenceFlags } from '../../options/sequence-options.ts';

interface ReadOptions {
  readonly json?: boolean;
}

const HELP = `
Each event of the first step begins an attempt, and each later step takes the first later event that
matches it. A user counts once, by the attempt that comes furthest. Dates are about where it begins.

Example:
  $ event-query sequence shop --step product_viewed --step 'purchase: properties.total > 50' --within 7d
  $ event-query sequence shop --step signup --step purchase --without '1: refund' --percentile p50 --by week`;

/** `sequence ALIAS`: how far users come in a sequence of steps. */
export function sequenceCommand(program: Command): void {
  const command = program
    .command('sequence <alias>')
    .description('count how many users come how far in a sequence of steps');
  addAskOptions(addFilterOptions(addSequenceOptions(command)))
    .option('--json', 'print the response of the HTTP API')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: FilterOptions & SequenceFlags, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const body = toSequenceBody(options);
      await ask(self, alias, { question: 'sequence', body }, async ({ reader }) => {
        const found = await reader.sequence(body);
        const began = found.steps[0]!.count;
        if (began === 0 && found.missing === 0) await noteEmptyAnswer(reader, emptyStep(body));
        if (json === true) return printJson(found);
        const { groups } = found;
        if (groups === undefined) await printRows([...found.steps.entries()], stepColumns(body, began));
        else await printRows(groups, groupColumns(body));
        note(describe(found));
      });
    });
}

/** What the first step asks for, to say why nothing was found. */
function emptyStep({ event, filterSet = [], steps: [first] }: SequenceBody) {
  const name = first?.event ?? event;
  return {
    ...(name === undefined ? {} : { event: name }),
    filterSet: [...filterSet, ...(first?.filterSet ?? [])],
  };
}

const nameOf = ({ steps }: SequenceBody, k: number) => steps[k]!.event ?? '*';

type NumberedStep = readonly [k: number, step: SequenceStep];

function stepColumns(body: SequenceBody, began: number): readonly TableColumn<NumberedStep>[] {
  const shareOf = (count: number) => (began === 0 ? '' : ((100 * count) / began).toFixed(1));
  const columns: TableColumn<NumberedStep>[] = [
    { head: 'STEP', isNumber: true, text: ([k]) => String(k + 1) },
    { head: 'EVENT', text: ([k]) => nameOf(body, k) },
    { head: 'COUNT', isNumber: true, text: ([, { count }]) => String(count) },
    { head: '%', isNumber: true, text: ([, { count }]) => shareOf(count) },
  ];
  for (const name of body.percentiles ?? [])
    columns.push({
      head: name.toUpperCase(),
      isNumber: true,
      text: ([, { sincePrevious }]) => timeText(sincePrevious?.[name]),
    });
  if (!process.stdout.isTTY) return columns;
  return [...columns, { head: 'BAR', text: ([, { count }]) => barOf(count, began) }];
}

function groupColumns(body: SequenceBody): readonly TableColumn<SequenceGroup>[] {
  const [dimension] = dimensionsOf(body);
  return [
    { head: headOf(dimension!), text: dimension!.keyText },
    ...body.steps.map((_, k): TableColumn<SequenceGroup> => {
      return { head: nameOf(body, k), isNumber: true, text: ({ counts }) => String(counts[k]) };
    }),
  ];
}

/** A length of time as people say it, to two units; on a pipe in milliseconds. */
function timeText(ms: number | null | undefined): string {
  if (ms === undefined || ms === null) return '';
  if (!process.stdout.isTTY) return String(ms);
  const parts = [
    [Math.floor(ms / 86_400_000), 'd'],
    [Math.floor(ms / 3_600_000) % 24, 'h'],
    [Math.floor(ms / 60_000) % 60, 'm'],
    [Math.floor(ms / 1000) % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return `${ms} ms`;
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ');
}

/** Summarizes what the rows do not show. */
function describe({ steps, missing, groupsTotal = 0, groups = [], rest }: Sequence): string {
  const parts = [`${steps.at(-1)!.count} of ${steps[0]!.count} came through`];
  if (missing > 0) parts.push(`${missing} events of a step without a value of --distinct`);
  if (groupsTotal > groups.length) parts.push(`${groups.length} of ${groupsTotal} groups are shown (--size)`);
  if (rest !== undefined && rest.counts[0]! > 0) parts.push(`${rest.counts.join(', ')} in none of them`);
  return parts.join('; ');
}
