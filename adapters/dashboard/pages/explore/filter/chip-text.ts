import type { Filter, FilterEntry } from '../../../../../src/index.ts';

/** How the parts of a chip are written. */
export interface ChipWords {
  /** The words for a comparison; those for equality are a sign. */
  readonly said: (comparison: Filter['comparison']) => string;
  readonly path: (property: string) => string;
  /** A value, distinct from values of other types. */
  readonly value: (value: unknown) => string;
}

/** How many values of a list, and how many entries of a group, a chip names. */
const NAMED_MAX = 3;

/** A filter as a chip shows it: `status = 404`, `plan is not "pro"`, `not (bot = true or status > 499)`. */
export function chipText(entry: FilterEntry, words: ChipWords): string {
  if ('not' in entry) return `not ${inBrackets(chipText(entry.not, words))}`;
  if ('anyOf' in entry) return joined(entry.anyOf, ' or ', 'nothing', words);
  if ('allOf' in entry) return joined(entry.allOf, ' and ', 'everything', words);
  const { property, comparison, value } = entry;
  const start = `${words.path(property)} ${words.said(comparison)}`;
  if (value === null) return start;
  if (!Array.isArray(value)) return `${start} ${words.value(value)}`;
  const named = value.slice(0, NAMED_MAX).map((each) => words.value(each));
  const rest = value.length - named.length;
  return `${start} ${named.length === 0 ? '(no values)' : named.join(', ')}${rest > 0 ? ` +${rest}` : ''}`;
}

function joined(entries: readonly FilterEntry[], word: string, none: string, words: ChipWords): string {
  const named = entries.slice(0, NAMED_MAX).map((each) => chipText(each, words));
  const rest = entries.length - named.length;
  if (rest > 0) named.push(`${rest} more`);
  return named.length === 0 ? `(${none})` : `(${named.join(word)})`;
}

const inBrackets = (text: string) => (/^\(.*\)$/.test(text) ? text : `(${text})`);
