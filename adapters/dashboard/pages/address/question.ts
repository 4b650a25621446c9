import type { AllOf, AnyOf, ComparisonName, CountBody, Filter, FilterEntry } from '../../../../src/index.ts';
import type { OperandKind } from '../../../../src/store-kit.ts';
import { safeDecode, setParameters } from './place.ts';
import { choices } from '../server/choices.ts';
import { isUnit } from './unit.ts';

const comparisonOf = (name: unknown) => choices.value.comparisons.find((each) => each.name === name);

/** What a comparison takes. */
export function takenBy(name: ComparisonName): OperandKind {
  return comparisonOf(name)?.takes ?? 'scalar';
}

/** The fields of an event that a path can begin with, beside its properties. */
export const FIELDS = ['eventName', 'userId', 'eventTs', 'eventDate', 'insertId'];

/** The filters that the address says; undefined where they cannot be read. */
function readFilters(parameters: URLSearchParams): readonly FilterEntry[] | undefined {
  try {
    const found: unknown = JSON.parse(parameters.get('filter') ?? '[]');
    return Array.isArray(found) && found.every(isEntry) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** The filters that the address says. Of one that cannot be read, which `problemOf` tells, there are none. */
export const filtersOf = (parameters: URLSearchParams): readonly FilterEntry[] =>
  readFilters(parameters) ?? [];

/** What of an address cannot be read, in words: it asks for some events, and nobody knows for which. */
export function problemOf(parameters: URLSearchParams): string | undefined {
  if (readFilters(parameters) === undefined) return 'This link contains an unreadable filter.';
  const unit = parameters.get('unit') ?? '';
  if (unit !== '' && !isUnit(unit)) return `This link contains an unknown unit of time: ${unit}.`;
  const day = ['after', 'before'].map((name) => parameters.get(name) ?? '').find((each) => !isDay(each));
  return day === undefined ? undefined : `This link contains an invalid date: ${day}.`;
}

/** Whether a text is a day of the calendar, or none at all. */
function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return text === '' || (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(`${text}T`));
}

/** Asks for all events; what is seen of each stays as it was chosen. */
export function askForAll(): void {
  setQuestion({ event: '', after: '', before: '', filter: '', unit: '' });
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

/** Whether an entry is a group of others. */
export function isGroup(entry: FilterEntry): entry is AnyOf | AllOf {
  return 'anyOf' in entry || 'allOf' in entry;
}

/** What the address asks for, as the Query API's own body. */
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

/** How many events a page shows. */
export const PAGE_SIZE = 50;

/** What the address asks for, as the page of events that it says. */
export function pageOf(body: CountBody, parameters: URLSearchParams) {
  const cursor = parameters.get('cursor') ?? '';
  return { ...body, pagination: { size: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) } };
}

/** Changes what is asked for: every such change begins at the first page again. */
export function setQuestion(changes: Readonly<Record<string, string>>): void {
  setParameters({ ...changes, cursor: '' });
}

/** Puts other filters in the place of those that there are. */
export function setFilters(filters: readonly FilterEntry[]): void {
  setQuestion({ filter: filters.length === 0 ? '' : JSON.stringify(filters) });
}

/** Adds a filter to those that there are, unless it is among them. */
export function addFilter(parameters: URLSearchParams, filter: Filter): void {
  const before = filtersOf(parameters);
  const text = JSON.stringify(filter);
  if (!before.some((each) => JSON.stringify(each) === text)) setFilters([...before, filter]);
}

/** The columns that the address says, apart by commas. */
export function columnsOf(parameters: URLSearchParams): readonly string[] {
  const columns = (parameters.get('columns') ?? '').split(',').filter((column) => column !== '');
  return [...new Set(columns.map((column) => toPath(safeDecode(column))))];
}

/** Puts other columns in the place of those that there are; what is asked for stays. */
export function setColumns(columns: readonly string[]): void {
  // What stands between columns is no part of one.
  const texts = columns.map((column) => column.replaceAll('%', '%25').replaceAll(',', '%2C'));
  setParameters({ columns: texts.join(',') }, true);
}

/** A path as it is meant: all that an event has beside its fields is below its properties. */
export function toPath(typed: string): string {
  const path = typed.trim();
  const [root = ''] = path.split('.', 1);
  return path === '' || FIELDS.includes(root) || root === 'properties' ? path : `properties.${path}`;
}

/** The path of a key below another: a dot within a key is written apart. */
export function pathBelow(path: string, key: string): string {
  return `${path}.${key.replaceAll('\\', '\\\\').replaceAll('.', '\\.')}`;
}

const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text of an event with what cannot be seen, or turns the writing around, written out. */
export function seen(text: string): string {
  return text.replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A value as people read it, told apart from those of other types: a text that could be read as a number, a
 * truth or JSON stands in quotes.
 */
export function written(value: unknown): string {
  if (typeof value !== 'string') return seen(JSON.stringify(value));
  return seen(readsAsJson(value) ? JSON.stringify(value) : value);
}

function readsAsJson(text: string): boolean {
  // Most texts cannot be any, and to find that by parsing takes long for all of a page.
  if (!/^\s*(?:[-\d"[{]|(?:true|false|null)\s*$)/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
