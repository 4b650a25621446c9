import { Option, type Command } from 'commander';
import type {
  ExclusionBody,
  HavingBody,
  RetentionBody,
  SequenceBody,
  StepBody,
  UsersBody,
} from '../../../src/index.ts';
import {
  BY_WORDS,
  parseRetentionBody,
  parseSequenceBody,
  parseUsersBody,
  RETENTION_UNITS,
} from '../../../src/internal.ts';
import { quote } from '../../../src/transport-kit.ts';
import { inGroup } from '../print/in-group.ts';
import { misuse } from '../process/errors.ts';
import { collect, parseWholeNumber } from '../values/parse.ts';
import { parseFilterText } from './filter-text.ts';
import { explained, given, readBody, toBody, type FilterOptions } from './query-options.ts';

/** The flags of attempts at a sequence. */
interface AttemptFlags {
  readonly step?: readonly string[];
  readonly within?: string;
  readonly strict?: boolean;
  readonly without?: readonly string[];
  readonly same?: readonly string[];
}

/** The flags of a sequence. */
export interface SequenceFlags extends AttemptFlags {
  readonly distinct?: string;
  readonly by?: string;
  readonly size?: number;
  readonly percentile?: readonly string[];
}

/** Adds the flags of attempts at a sequence. */
function addAttemptOptions(command: Command): Command {
  return command
    .option('--step <step>', `a step, as in 'purchase: properties.total > 50'; repeatable, in order`, collect)
    .option('--within <time>', 'how long after the first step the others may come, as 30m or 7d')
    .option('--strict', 'each step has to be the very next event')
    .option('--without <exclusion>', `what may not happen behind a step, as '1: refund'; repeatable`, collect)
    .option('--same <path>', 'a path whose value is the same in all steps; repeatable', collect);
}

/** Adds the flags of a sequence. */
export function addSequenceOptions(command: Command): Command {
  return inGroup(command, 'Sequence:', (each) =>
    addAttemptOptions(each)
      .option('--distinct <path>', 'whose steps they are (default: userId)')
      .option('--by <path>', BY_WORDS)
      .option('--size <n>', 'how many groups, 1 to 1000', parseWholeNumber)
      .option('--percentile <pNN>', 'a percentile of the times between steps, as p50; repeatable', collect),
  );
}

/** The flags of a question about users. */
export interface UsersFlags extends AttemptFlags {
  readonly did?: readonly string[];
  readonly never?: readonly string[];
  readonly reached?: number;
  readonly stopped?: number;
  readonly distinct?: string;
  readonly size?: number;
  readonly cursor?: string;
}

/** Adds the flags of a question about users. */
export function addUsersOptions(command: Command): Command {
  const withDid = inGroup(command, 'Which users:', (each) =>
    addAttemptOptions(
      each
        .option('--did <what>', `what they did, and how often, as 'purchase>=3'; repeatable`, collect)
        .option('--never <what>', 'what they never did; repeatable', collect)
        .option('--distinct <path>', 'the path whose values are the users (default: userId)'),
    )
      .option('--reached <n>', 'only who came to this step or further', parseWholeNumber)
      .option('--stopped <n>', 'only who came to exactly this step', parseWholeNumber),
  );
  return inGroup(withDid, 'Which page:', (each) =>
    each
      .option('--size <n>', 'how many users, 1 to 1000 (default: 100)', parseWholeNumber)
      .option('--cursor <cursor>', 'continue after a page'),
  );
}

/** Makes the body of a question about users from flags. Throws an Error that names the wrong flag. */
export function toUsersBody(options: FilterOptions & UsersFlags): UsersBody {
  const body = options.body === undefined ? usersFromFlags(options) : readBody(options.body);
  explained(options, () => parseUsersBody(body));
  return body as UsersBody;
}

function usersFromFlags(options: FilterOptions & UsersFlags): unknown {
  const { did = [], never = [], step = [], reached, stopped, distinct, size, cursor } = options;
  const having = [
    ...did.map(parseDid),
    ...never.map((what) => ({ ...parseStep(what, '--never'), atMost: 0 })),
  ];
  const isSequence = step.length > 0 || reached !== undefined || stopped !== undefined;
  if (isSequence && step.length === 0) throw misuse(`--step is missing: ${STEP_EXAMPLE}`);
  const sequence = { ...attempts(options), ...given('reached', reached), ...given('stopped', stopped) };
  return {
    ...toBody(options),
    ...given('having', having.length === 0 ? undefined : having),
    ...given('sequence', isSequence ? sequence : undefined),
    ...given('distinct', distinct),
    pagination: { ...given('size', size), ...given('cursor', cursor) },
  };
}

/** Reads `purchase`, `purchase>=3`, `purchase<=2` or `purchase=1`, each perhaps with `: FILTER`. */
function parseDid(text: string): HavingBody {
  const [, name = '', sign, times, filter = ''] = /^(.*?)\s*(>=|<=|=)\s*(\d{1,9})(:\s.*)?$/s.exec(text) ?? [];
  if (sign === undefined) return { ...parseStep(text, '--did'), atLeast: 1 };
  const count = Number(times);
  return {
    ...parseStep(`${name}${filter}`, '--did'),
    ...(sign === '<=' ? {} : { atLeast: count }),
    ...(sign === '>=' ? {} : { atMost: count }),
  };
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
          steps: [parseStep(start!, '--start'), parseStep(comeback!, '--return')],
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
  const { step = [], distinct, by, size, percentile } = options;
  if (step.length === 0) throw misuse(`--step is missing: ${STEP_EXAMPLE}`);
  return {
    ...toBody(options),
    ...attempts(options),
    ...{ ...given('distinct', distinct), ...given('by', by), ...given('size', size) },
    ...given('percentiles', percentile),
  };
}

/** The keys of a body that say what an attempt is. */
function attempts({ step = [], within, strict, without, same }: AttemptFlags): Record<string, unknown> {
  return {
    steps: step.map((each) => parseStep(each, '--step')),
    ...{ ...given('within', within), ...given('order', strict === true ? 'strict' : undefined) },
    ...{ ...given('without', without?.map(parseExclusion)), ...given('same', same) },
  };
}

const STEP_EXAMPLE =
  `a step is the name of an event, and perhaps a filter, as in ` + `'purchase: properties.total > 50'`;

/** Reads `purchase`, `purchase: FILTER`, or `: FILTER` for any name; `*` stands for every event. */
function parseStep(text: string, flag: string): StepBody {
  const name = text.trim();
  if (name === '') throw misuse(`${flag} ${quote(text)}: ${STEP_EXAMPLE}`);
  if (name === '*') return {};
  // The blank behind the colon tells a filter from a name that has one, as `ui:click` has.
  const [, event = '', filter] = /^(.*?):\s+(.+)$/s.exec(name) ?? [undefined, name];
  return {
    ...(event === '' ? {} : { event }),
    ...(filter === undefined ? {} : { filterSet: [parseFilterText(filter, flag) as never] }),
  };
}

/** Reads `1: refund`, or `1: refund: FILTER`. */
function parseExclusion(text: string): ExclusionBody {
  const [, after, step] = /^\s*(\d+):\s+(.+)$/s.exec(text) ?? [];
  if (step === undefined)
    throw misuse(
      `--without ${quote(text)}: takes the number of a step and what may not follow it, as in '1: refund'`,
    );
  return { after: Number(after), ...parseStep(step, '--without') };
}
