import { Option, type Command } from 'commander';
import type { ExclusionBody, RetentionBody, SequenceBody, StepBody } from '../../../src/index.ts';
import { BY_WORDS, parseRetentionBody, parseSequenceBody, RETENTION_UNITS } from '../../../src/internal.ts';
import { quote } from '../../../src/transport-kit.ts';
import { inGroup } from '../print/in-group.ts';
import { misuse } from '../process/errors.ts';
import { collect, parseWholeNumber } from '../values/parse.ts';
import { parseFilterText } from './filter-text.ts';
import { explained, given, readBody, toBody, type FilterOptions } from './query-options.ts';

/** The flags of a sequence. */
export interface SequenceFlags {
  readonly step?: readonly string[];
  readonly within?: string;
  readonly strict?: boolean;
  readonly without?: readonly string[];
  readonly same?: readonly string[];
  readonly distinct?: string;
  readonly by?: string;
  readonly size?: number;
  readonly percentile?: readonly string[];
}

/** Adds the flags of a sequence. */
export function addSequenceOptions(command: Command): Command {
  return inGroup(command, 'Sequence:', (each) =>
    each
      .option(
        '--step <step>',
        `a step, as in 'purchase: properties.total > 50'; repeatable, in order`,
        collect,
      )
      .option('--within <time>', 'how long after the first step the others may come, as 30m or 7d')
      .option('--strict', 'each step has to be the very next event')
      .option(
        '--without <exclusion>',
        `what may not happen behind a step, as in '1: refund'; repeatable`,
        collect,
      )
      .option('--same <path>', 'a path whose value is the same in all steps; repeatable', collect)
      .option('--distinct <path>', 'whose steps they are (default: userId)')
      .option('--by <path>', BY_WORDS)
      .option('--size <n>', 'how many groups, 1 to 1000', parseWholeNumber)
      .option('--percentile <pNN>', 'a percentile of the times between steps, as p50; repeatable', collect),
  );
}

/** The flags of a retention. */
export interface RetentionFlags {
  readonly start?: string;
  readonly return?: string;
  readonly unit?: string;
  readonly periods?: number;
  readonly periodsFrom?: string;
  readonly distinct?: string;
}

/** Adds the flags of a retention. */
export function addRetentionOptions(command: Command): Command {
  return inGroup(command, 'Retention:', (each) =>
    each
      .option('--start <step>', `what a cohort begins with, as in 'signed_up: properties.plan = "pro"'`)
      .option('--return <step>', 'what counts as a return')
      .addOption(
        new Option('--unit <unit>', 'of cohorts and periods').choices(RETENTION_UNITS).default('week'),
      )
      .option('--periods <n>', 'how many periods, 1 to 100 (default: 8)', parseWholeNumber)
      .addOption(
        new Option(
          '--periods-from <where>',
          'where periods begin: units of the calendar, or the start of each user (default: calendar)',
        ).choices(['calendar', 'start']),
      )
      .option('--distinct <path>', 'who returns (default: userId)'),
  );
}

/** Makes the body of a retention from flags. Throws an Error that names the wrong flag. */
export function toRetentionBody(options: FilterOptions & RetentionFlags): RetentionBody {
  const { start, return: comeback, unit, periods, periodsFrom, distinct } = options;
  if (options.body === undefined && (start === undefined || comeback === undefined))
    throw misuse(`--${start === undefined ? 'start' : 'return'} is missing: ${STEP_EXAMPLE}`);
  const body =
    options.body === undefined
      ? {
          ...toBody(options),
          steps: [parseStep(start!), parseStep(comeback!)],
          ...{ unit, ...given('periods', periods), ...given('periodsFrom', periodsFrom) },
          ...given('distinct', distinct),
        }
      : readBody(options.body);
  explained(options, () => parseRetentionBody(body));
  return body as RetentionBody;
}

/** Makes the body of a sequence from flags. Throws an Error that names the wrong flag. */
export function toSequenceBody(options: FilterOptions & SequenceFlags): SequenceBody {
  const body = options.body === undefined ? fromFlags(options) : readBody(options.body);
  explained(options, () => parseSequenceBody(body));
  return body as SequenceBody;
}

function fromFlags(options: FilterOptions & SequenceFlags): unknown {
  const { step = [], within, strict, without, same, distinct, by, size, percentile } = options;
  if (step.length === 0) throw misuse(`--step is missing: ${STEP_EXAMPLE}`);
  return {
    ...toBody(options),
    steps: step.map(parseStep),
    ...{ ...given('within', within), ...given('order', strict === true ? 'strict' : undefined) },
    ...{ ...given('without', without?.map(parseExclusion)), ...given('same', same) },
    ...{ ...given('distinct', distinct), ...given('by', by), ...given('size', size) },
    ...given('percentiles', percentile),
  };
}

const STEP_EXAMPLE =
  `a step is the name of an event, and perhaps a filter, as in ` + `'purchase: properties.total > 50'`;

/** Reads `purchase`, `purchase: FILTER`, or `: FILTER` for any name; `*` stands for every event. */
function parseStep(text: string): StepBody {
  const name = text.trim();
  if (name === '') throw misuse(`--step ${quote(text)}: ${STEP_EXAMPLE}`);
  if (name === '*') return {};
  // The blank behind the colon tells a filter from a name that has one, as `ui:click` has.
  const [, event = '', filter] = /^(.*?):\s+(.+)$/s.exec(name) ?? [undefined, name];
  return {
    ...(event === '' ? {} : { event }),
    ...(filter === undefined ? {} : { filterSet: [parseFilterText(filter) as never] }),
  };
}

/** Reads `1: refund`, or `1: refund: FILTER`. */
function parseExclusion(text: string): ExclusionBody {
  const [, after, step] = /^\s*(\d+):\s+(.+)$/s.exec(text) ?? [];
  if (step === undefined)
    throw misuse(
      `--without ${quote(text)}: takes the number of a step and what may not follow it, as in '1: refund'`,
    );
  return { after: Number(after), ...parseStep(step) };
}
