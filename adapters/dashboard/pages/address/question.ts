import type { AllOf, AnyOf, ComparisonName, CountBody, Filter, FilterEntry } from '../../../../src/index.ts';
import type { OperandKind } from '../../../../src/store-kit.ts';
import { place, safeDecode, setParameters } from './place.ts';
import { choices } from '../server/choices.ts';
import { NO_RANGE, timeProblem } from '../time/asked.ts';
import { isUnit } from '../time/unit.ts';

const comparisonOf = (name: unknown) => choices.value.comparisons.find((each) => each.name === name);

/** The kind of operand that a comparison takes. */
export function takenBy(name: ComparisonName): OperandKind {
  return comparisonOf(name)?.takes ?? 'scalar';
}

/** The fields of an event with which a path can begin, besides its properties. */
export const FIELDS = ['eventName', 'userId', 'eventTs', 'eventDate', 'insertId'];

/** The fields that filters name: an answer does not show when an event arrived. */
export const FILTER_FIELDS = [...FIELDS, 'receivedAt'];

/** The filters in the address; undefined if they cannot be read. */
function readFilters(parameters: URLSearchParams): readonly FilterEntry[] | undefined {
  try {
    const found: unknown = JSON.parse(parameters.get('filter') ?? '[]');
    return Array.isArray(found) && found.every(isEntry) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The filters in the address; none if they cannot be read, which `problemOf` reports. */
export const filtersOf = (parameters: URLSearchParams): readonly FilterEntry[] =>
  readFilters(parameters) ?? [];

/** Describes which part of an address cannot be read, so that its question is unknown; undefined if none. */
export function problemOf(parameters: URLSearchParams): string | undefined {
  if (readFilters(parameters) === undefined) return 'This link contains an unreadable filter.';
  const unit = parameters.get('unit') ?? '';
  if (unit !== '' && !isUnit(unit)) return `This link contains an unknown unit of time: ${unit}.`;
  const day = ['after', 'before'].map((name) => parameters.get(name) ?? '').find((each) => !isDay(each));
  if (day !== undefined) return `This link contains an invalid date: ${day}.`;
  return timeProblem(parameters);
}

/** Whether a text is empty or a day of the calendar. */
function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return text === '' || (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(`${text}T`));
}

/** Removes all conditions, so that all events match. The chosen columns stay, and a zone that can be read. */
export function askForAll(): void {
  const unreadable = timeProblem(place.peek().parameters) === undefined ? {} : { zone: '', every: '' };
  setQuestion({ ...NO_RANGE, ...unreadable, range: 'all', event: '', filter: '', unit: '' });
}

function isEntry(value: unknown): value is FilterEntry {
  if (typeof value !== 'object' || value === null) return false;
  if ('not' in value) return isEntry(value.not);
  if ('anyOf' in value) return Array.isArray(value.anyOf) && value.anyOf.every(isEntry);
  if ('allOf' in value) return Array.isArray(value.allOf) && value.allOf.every(isEntry);
  return (
    'property' in value &&
    typeof value.property === 'string' &&
    'comparison' in value &&
    comparisonOf(value.comparison) !== undefined
  );
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

/** The question in the address, as a request for its page of events. */
export function pageOf(body: CountBody, parameters: URLSearchParams) {
  const cursor = parameters.get('cursor') ?? '';
  return { ...body, pagination: { size: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) } };
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

/** The fields of an event that its row always shows, before the chosen columns. */
export const FIRST_COLUMNS: readonly string[] = ['eventTs', 'eventName', 'userId'];

/** The columns in the address, which separates them by commas. */
export function columnsOf(parameters: URLSearchParams): readonly string[] {
  const columns = (parameters.get('columns') ?? '').split(',').filter((column) => column !== '');
  const paths = new Set(columns.map((column) => toPath(safeDecode(column))));
  return [...paths].filter((path) => !FIRST_COLUMNS.includes(path));
}

/** Replaces the columns; the question stays. */
export function setColumns(columns: readonly string[]): void {
  // A comma separates columns, so one within a column is escaped.
  const texts = columns.map((column) => column.replaceAll('%', '%25').replaceAll(',', '%2C'));
  setParameters({ columns: texts.join(',') }, true);
}

/** Completes a typed path: one that begins with no field of an event begins at its properties. */
export function toPath(typed: string): string {
  const path = typed.trim();
  const [root = ''] = path.split('.', 1);
  return path === '' || FILTER_FIELDS.includes(root) || root === 'properties' ? path : `properties.${path}`;
}

/** The path of a key below another path. A dot within the key is escaped. */
export function pathBelow(path: string, key: string): string {
  return `${path}.${key.replaceAll('\\', '\\\\').replaceAll('.', '\\.')}`;
}

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text of an event in which invisible characters and those that change the text direction are escaped. */
export function seen(text: string): string {
  return text.replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A value for people to read, distinct from values of other types: a text that looks like a number, a boolean
 * or JSON is in quotes.
 */
export function written(value: unknown): string {
  if (typeof value !== 'string') return seen(JSON.stringify(value));
  return seen(readsAsJson(value) ? JSON.stringify(value) : value);
}

function readsAsJson(text: string): boolean {
  // Most texts look like none of these, and this check is faster than parsing all texts of a page.
  if (!/^\s*(?:[-\d"[{]|(?:true|false|null)\s*$)/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
