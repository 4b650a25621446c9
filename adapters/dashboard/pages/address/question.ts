import { computed } from '@preact/signals';
import type {
  AllOf,
  AnyOf,
  ComparisonName,
  CountBody,
  Filter,
  FilterEntry,
  QueryBody,
  RankingOrder,
  TopBody,
} from '../../../../src/index.ts';
import type { OperandKind } from '../../../../src/store-kit.ts';
import { choices } from '../server/choices.ts';
import { NO_RANGE } from '../time/asked.ts';
import { columnsIn, COLUMNS_MAX, columnsText } from './columns.ts';
import { readFilters, type Takes } from './filters.ts';
import { NEW_STEP, readSteps, type AskedStep } from './steps.ts';
import { place, setParameters } from './place.ts';
import { problemsOf } from './problems.ts';

const takes: Takes = (name) => choices.value.comparisons.find((each) => each.name === name)?.takes;

/** The kind of operand that a comparison takes. */
export function takenBy(name: ComparisonName): OperandKind {
  return takes(name) ?? 'scalar';
}

/** The filters in the address; none if they cannot be read, which `problemNow` reports. */
export function filtersOf(parameters: URLSearchParams): readonly FilterEntry[] {
  const read = readFilters(parameters.get('filter') ?? '', takes);
  return 'filters' in read ? read.filters : [];
}

/** The steps in the address; two about which nothing is said if they cannot be read. */
export function stepsOf(parameters: URLSearchParams): readonly AskedStep[] {
  const read = readSteps(parameters.get('steps') ?? '', takes);
  return 'steps' in read ? read.steps : [NEW_STEP, NEW_STEP];
}

/** Why the address is none of a question that its page can ask; undefined if it is one. */
export const problemNow = computed((): string | undefined => {
  const { unread } = place.value;
  return unread ?? problemsOf(place.value, takes)[0]?.said;
});

/** What removes from the address what cannot be read. */
const withoutUnreadable = () =>
  Object.fromEntries(problemsOf(place.peek(), takes).map(({ name }) => [name, '']));

/**
 * Removes all conditions, so that all events match, also those without a number. The chosen columns stay,
 * and a zone that can be read.
 */
export function askForAll(): void {
  const nothing = { event: '', filter: '', unit: '', of: '', order: '' };
  setQuestion({ ...NO_RANGE, ...withoutUnreadable(), range: 'all', ...nothing });
}

/** Removes from the address what cannot be read. */
export function askReadable(): void {
  setParameters(withoutUnreadable());
}

/** Whether a filter entry is a group of other entries. */
export function isGroup(entry: FilterEntry): entry is AnyOf | AllOf {
  return 'anyOf' in entry || 'allOf' in entry;
}

/** The question in the address, as a body of the Query API; the pages that show a range of time add it. */
export function bodyOf(parameters: URLSearchParams): CountBody {
  const filterSet = filtersOf(parameters);
  const text = (name: string) => {
    const value = parameters.get(name) ?? '';
    return value === '' ? {} : { [name]: value };
  };
  return {
    ...text('event'),
    ...text('after'),
    ...text('before'),
    ...(filterSet.length === 0 ? {} : { filterSet }),
  };
}

/** How many events one page of rows shows. */
export const PAGE_SIZE = 50;

/** By which numbers rows come, and which of these come first. */
export type RankedBy = Pick<TopBody, 'of' | 'order'>;

/** By the numbers at which path the rows come; undefined if they come newest first. */
export function rankingOf(parameters: URLSearchParams): RankedBy | undefined {
  const of = parameters.get('of') ?? '';
  if (of === '') return undefined;
  return parameters.get('order') === 'smallest' ? { of, order: 'smallest' } : { of };
}

/** Asks for the events with the largest or the smallest numbers at a path; for none, newest first. */
export function setRanking(of: string, order: RankingOrder): void {
  setQuestion({ of, order: order === 'smallest' ? order : '' });
}

/** The question in the address, as a request for its rows: the path below the API, and the body. */
export function rowsOf(
  alias: string,
  body: CountBody,
  parameters: URLSearchParams,
): readonly [path: string, body: QueryBody | TopBody] {
  const ranking = rankingOf(parameters);
  // An opened event says when it arrived, too.
  const include = ['receivedAt'] as const;
  if (ranking !== undefined) return [`query/top/${alias}`, { ...body, ...ranking, size: PAGE_SIZE, include }];
  const cursor = parameters.get('cursor') ?? '';
  const pagination = { size: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) };
  return [`query/${alias}`, { ...body, pagination, include }];
}

/** Changes the question in the address, and returns to the first page of events. */
export function setQuestion(changes: Readonly<Record<string, string>>): void {
  setParameters({ ...changes, cursor: '' });
}

/** Replaces the filters. */
export function setFilters(filters: readonly FilterEntry[]): void {
  setQuestion({ filter: filters.length === 0 ? '' : JSON.stringify(filters) });
}

/** Adds a filter to the present ones, unless it is one of them. */
export function addFilter(parameters: URLSearchParams, filter: Filter): void {
  const before = filtersOf(parameters);
  const text = JSON.stringify(filter);
  if (!before.some((each) => JSON.stringify(each) === text)) setFilters([...before, filter]);
}

/** The columns in the address. */
export const columnsOf = (parameters: URLSearchParams): readonly string[] =>
  columnsIn(parameters.get('columns') ?? '');

/** Replaces the columns; the question stays. There is room for so many columns and no more. */
export function setColumns(columns: readonly string[]): void {
  setParameters({ columns: columnsText(columns.slice(0, COLUMNS_MAX)) }, true);
}
