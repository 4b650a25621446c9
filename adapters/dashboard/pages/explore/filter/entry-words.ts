import type { FilterEntry } from '../../../../../src/index.ts';
import { cut } from '../../address/written.ts';
import { choices } from '../../server/choices.ts';
import { chipText, type ChipWords } from './chip-text.ts';
import { signOf } from './comparisons.ts';

/** How many characters of a path and of a value are shown. */
export const TEXT_LENGTH = 240;

const WORDS: ChipWords = {
  said: (name) => signOf(name) ?? choices.value.comparisons.find((each) => each.name === name)?.said ?? name,
  path: (property) => cut(property.replace(/^properties\./, ''), TEXT_LENGTH),
  value: (value) => cut(JSON.stringify(value), TEXT_LENGTH),
};

/** A filter as its chip shows it, and every other place. */
export const entryWords = (entry: FilterEntry): string => chipText(entry, WORDS);
