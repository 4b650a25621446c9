import { Option, type Command } from 'commander';
import { isApiError, type CountBody, type QueryBody, type TopBody } from '../../../src/index.ts';
import {
  INCLUDABLE,
  parseCursor,
  parseExportBody,
  parseQueryBody,
  parseTailBody,
  parseTopBody,
  QUERY_BODY_BYTES_MAX,
  RANKED_WORDS,
  refuseAmbiguous,
} from '../../../src/internal.ts';
import { parseCountBody, type ExportBody, type TailBody } from '../../../src/store-kit.ts';
import { quote } from '../../../src/transport-kit.ts';
import { failure, messageOf, misuse } from '../process/errors.ts';
import { readText } from '../files/read-text.ts';
import { inGroup } from '../print/in-group.ts';
import { parseFilterText, WRITTEN } from './filter-text.ts';
import { collect, parseDate, parseWholeNumber } from '../values/parse.ts';

/** The flags that say which events match. */
export interface FilterOptions {
  readonly event?: string;
  readonly user?: string;
  readonly after?: string;
  readonly before?: string;
  readonly from?: string;
  readonly until?: string;
  readonly timeZone?: string;
  readonly filter?: readonly string[];
  readonly body?: string;
}

/** The flags that are keys of a body, by which it chooses events, and the zone of its days. */
const CHOOSING = ['event', 'after', 'before', 'from', 'until', 'timeZone'] as const;

/** The flags of a sequence, by their names here. */
const OF_SEQUENCES = [
  'did',
  'never',
  'reached',
  'stopped',
  'cursor',
  'start',
  'return',
  'periods',
  'periodsFrom',
  'step',
  'within',
  'strict',
  'without',
  'same',
  'percentile',
] as const;

/** The flags of what differs, by their names here. */
const OF_COMPARISONS = [
  'select',
  'selectEvent',
  'selectAfter',
  'selectBefore',
  'selectFrom',
  'selectUntil',
  'path',
] as const;

/** The flags of a page. */
export interface PageOptions {
  readonly size?: number;
  readonly offset?: number;
  readonly cursor?: string;
}

/** The flags of a top. */
export interface TopOptions {
  readonly of?: string;
  readonly smallest?: boolean;
  readonly size?: number;
}

/** The part of `--help` about filters, below the options. */
export const FILTER_HELP = `
A filter is a path, an operator, and an operand as in JSON:
  properties.plan = "pro"                         properties.total >= 50
  properties.device.type in ("phone", "tablet")   properties.coupon not exists
With several filters, all must match. Put a path with spaces in double quotes: "properties.first name".
Use --body for anyOf, allOf and not. Operators, which may also have their names of the HTTP API:
  ${WRITTEN.join(', ')}`;

/** The flag of what events show. */
export interface ShownOptions {
  readonly include?: readonly string[];
}

/** Adds the flag of what events show besides the usual fields. */
export function addShownOptions(command: Command): Command {
  return command.option('--include <field>', `show events with ${INCLUDABLE.join(' or ')} too`, collect);
}

/** Adds the flags of a filter. */
export function addFilterOptions(command: Command): Command {
  return inGroup(command, 'Which events:', (each) =>
    each
      .option('--event <name>', 'only events with this name')
      .option('--user <id>', 'only events of this user')
      .option('--after <date>', 'only events from this day on, YYYY-MM-DD', parseDate)
      .option('--before <date>', 'only events up to this day, inclusive, YYYY-MM-DD', parseDate)
      .option('--from <instant>', 'only events from this instant on, as 2025-01-01T09:00:00+02:00')
      .option('--until <instant>', 'only events before this instant')
      .option('--time-zone <zone>', 'the zone of days and units of time, as Europe/Berlin (default: UTC)')
      .option('--filter <filter>', 'only events that match; repeatable', collect)
      .addOption(
        new Option(
          '--body <file>',
          'a request body of the HTTP API instead of these flags; - for stdin',
        ).conflicts([
          ...CHOOSING,
          ...['user', 'filter', 'size', 'offset', 'by', 'distinct', 'measure', 'of', 'smallest', 'include'],
          ...OF_SEQUENCES,
          ...OF_COMPARISONS,
        ]),
      ),
  );
}

/** Adds the flags of a page. */
export function addPageOptions(command: Command): Command {
  return inGroup(command, 'Which page:', (each) =>
    each
      .option('--size <n>', 'how many events, 1 to 1000 (default: 100)', parseWholeNumber)
      .option('--offset <n>', 'how many events to skip', parseWholeNumber)
      .addOption(new Option('--cursor <cursor>', 'continue after a page').conflicts(['body', 'offset'])),
  );
}

/** Adds the flags of a top. */
export function addTopOptions(command: Command): Command {
  return inGroup(command, 'Which numbers:', (each) =>
    each
      .option('--of <path>', `where the numbers are: ${RANKED_WORDS}`)
      .option('--smallest', 'the smallest numbers first, not the largest')
      .option('--size <n>', 'how many events, 1 to 1000 (default: 100)', parseWholeNumber),
  );
}

/** Makes the body of a top from flags. Throws an Error that names the wrong flag. */
export function toTopBody(options: FilterOptions & TopOptions & ShownOptions): TopBody {
  const { of, smallest, size, include } = options;
  const order = smallest === true ? 'smallest' : undefined;
  const flags = { ...given('of', of), ...given('order', order), ...given('size', size) };
  const asked = { ...flags, ...given('include', include) };
  const body = options.body === undefined ? { ...toBody(options), ...asked } : readBody(options.body);
  explained(options, () => parseTopBody(body));
  return body as TopBody;
}

/** Makes the body of a query from flags. Throws an Error that names the wrong flag. */
export function toQueryBody(options: FilterOptions & PageOptions & ShownOptions): QueryBody {
  const { size, offset, cursor, include } = options;
  const pagination = { ...given('size', size), ...given('offset', offset), ...given('cursor', cursor) };
  const flags = { pagination, ...given('include', include) };
  const body = options.body === undefined ? { ...toBody(options), ...flags } : readBody(options.body);
  explained(options, () => parseQueryBody(body));
  return body as QueryBody;
}

/** Makes the body of a count from flags. Throws an Error that names the wrong flag. */
export function toCountBody(options: FilterOptions): CountBody {
  const body = options.body === undefined ? toBody(options) : readBody(options.body);
  explained(options, () => parseCountBody(body));
  return body as CountBody;
}

/** Makes the body of a tail from flags. Throws an Error that names the wrong flag. */
export function toTailBody(options: FilterOptions & ShownOptions): TailBody {
  const body = toShownBody(options);
  explained(options, () => parseTailBody(body));
  return body as TailBody;
}

/** Makes the body of an export from flags, with its start. Throws an Error that names the wrong flag. */
export function toExportBody(
  options: FilterOptions & ShownOptions & Pick<PageOptions, 'cursor'>,
): ExportBody {
  const { cursor } = options;
  const asked = toShownBody(options);
  const { query } = explained(options, () => parseExportBody(asked));
  if (cursor === undefined) return asked as ExportBody;
  parseCursor(cursor, query, '--cursor');
  return { ...(asked as ExportBody), pagination: { cursor } };
}

function toShownBody(options: FilterOptions & ShownOptions): unknown {
  if (options.body !== undefined) return readBody(options.body);
  return { ...toBody(options), ...given('include', options.include) };
}

/** The keys of a body that flags choose events by. */
export function toBody({ filter = [], user, ...options }: FilterOptions): Record<string, unknown> {
  const chosen = CHOOSING.map((name) => given(name, options[name]));
  const ofUser = user === undefined ? [] : [`userId = ${JSON.stringify(user)}`];
  const filterSet = [...filter, ...ofUser].map((each) => parseFilterText(each));
  return Object.assign({}, ...chosen, { filterSet }) as Record<string, unknown>;
}

/** A key of a body, if its flag was given. */
export function given(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}

/**
 * Rewrites error messages of the core: a place in the body becomes the flag that it came from. What a file
 * has stays in its place.
 */
export function explained<T>(options: FilterOptions, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!isApiError(error) || error.status !== 400) throw error;
    if (options.body !== undefined) throw misuse(`--body: ${error.message}`);
    const text = error.message
      .replace(/^pagination\.?(size|offset|cursor)/, '--$1')
      .replace(/^sequence\.(?=steps|within|without|same|reached|stopped)/, '')
      .replace(/^having\[(\d+)\]\.?/, (_, i: string) => `condition ${Number(i) + 1}: `)
      .replace(/^selected\.filterSet[^:]*:/, '--select:')
      .replace(/^selected\.(event|from|until):/, '--select-$1:')
      .replace(/^paths(\[\d+\])?:/, '--path:')
      .replace(/^timeZone:/, '--time-zone:')
      .replace(/^periodsFrom:/, '--periods-from:')
      .replace(/^(event|from|until|by|distinct|of|size|include|rest)(\[\d+\])?:/, '--$1:')
      .replace(/^(within|order|same|without|unit|periods|reached|stopped)(\[\d+\])?:/, '--$1:')
      .replace(/^percentiles(\[\d+\])?:/, '--percentile:')
      .replace(/^steps\[(\d+)\]\.?/, (_, i: string) => `step ${Number(i) + 1}: `)
      .replace(/^without\[(\d+)\]\.?/, (_, i: string) => `exclusion ${Number(i) + 1}: `)
      .replace(/^steps:/, '--step:')
      .replace(/^measures[^:]*:/, '--measure:')
      .replace(/^orderBy[^:]*:/, '--order-by:')
      .replace(/^filterSet\[(\d+)\]\.?/, (_, i: string) => `${flagOf(options.filter?.[Number(i)])}: `);
    throw misuse(text);
  }
}

/** The flag of a filter: the one behind all others is that of the user. */
function flagOf(filter: string | undefined): string {
  return filter === undefined ? '--user' : `--filter ${quote(filter)}`;
}

/** Reads a body from a file. Throws an Error that says what is wrong with it. */
export function readBody(file: string): unknown {
  const text = readBodyText(file);
  if (Buffer.byteLength(text) > QUERY_BODY_BYTES_MAX)
    throw misuse(`--body: takes at most ${QUERY_BODY_BYTES_MAX} bytes`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // V8's own message would quote the text, perhaps of a file that must not be shown.
    throw misuse(`--body: ${file} is not valid JSON`);
  }
  const refusal = refuseAmbiguous(text);
  if (refusal !== undefined) throw misuse(`--body: ${refusal.message}`);
  return body;
}

function readBodyText(file: string): string {
  try {
    return readText(file, 'the body').replace(/^\ufeff/, '');
  } catch (error) {
    throw failure(`--body: ${messageOf(error)}`);
  }
}
