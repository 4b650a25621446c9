import type { Command } from 'commander';
import type { CompareBody } from '../../../src/index.ts';
import { parseCompareBody } from '../../../src/internal.ts';
import { inGroup } from '../print/in-group.ts';
import { misuse } from '../process/errors.ts';
import { collect, parseDate, parseWholeNumber } from '../values/parse.ts';
import { parseFilterText } from './filter-text.ts';
import { explained, given, readBody, toBody, type FilterOptions } from './query-options.ts';

/** The flags of a question about what differs. */
export interface CompareFlags {
  readonly selectEvent?: string;
  readonly selectAfter?: string;
  readonly selectBefore?: string;
  readonly selectFrom?: string;
  readonly selectUntil?: string;
  readonly select?: readonly string[];
  readonly path?: readonly string[];
  readonly size?: number;
}

/** Adds the flags of a question about what differs. */
export function addCompareOptions(command: Command): Command {
  return inGroup(command, 'What to compare with the other events:', (each) =>
    each
      .option('--select <filter>', 'the events that match; repeatable', collect)
      .option('--select-event <name>', 'those with this name')
      .option('--select-after <date>', 'those from this day on, YYYY-MM-DD', parseDate)
      .option('--select-before <date>', 'those up to this day, inclusive, YYYY-MM-DD', parseDate)
      .option('--select-from <instant>', 'those from this instant on')
      .option('--select-until <instant>', 'those before this instant')
      .option(
        '--path <path>',
        'compare the values of this path; repeatable (default: all that events have)',
        collect,
      )
      .option('--size <n>', 'how many rows, 1 to 100 (default: 20)', parseWholeNumber),
  );
}

/** Makes the body of a question about what differs from flags. Throws an Error that names the wrong flag. */
export function toCompareBody(options: FilterOptions & CompareFlags): CompareBody {
  const body = options.body === undefined ? fromFlags(options) : readBody(options.body);
  explained(options, () => parseCompareBody(body));
  return body as CompareBody;
}

function fromFlags(options: FilterOptions & CompareFlags): unknown {
  const { select, path, size } = options;
  const selected = {
    ...{ ...given('event', options.selectEvent), ...given('after', options.selectAfter) },
    ...{ ...given('before', options.selectBefore), ...given('from', options.selectFrom) },
    ...given('until', options.selectUntil),
    ...given(
      'filterSet',
      select?.map((each) => parseFilterText(each, '--select')),
    ),
  };
  if (Object.keys(selected).length === 0)
    throw misuse(
      `--select is missing: a filter, as in 'properties.plan = "pro"', or --select-from and others`,
    );
  return { ...toBody(options), selected, ...given('paths', path), ...given('size', size) };
}
