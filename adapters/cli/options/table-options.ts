import type { CellSource, FileLayout, NamedOption, OptionWords } from '../../import/index.ts';
import { misuse } from '../process/errors.ts';

/** A name before `=`, and a column or a text in quotes after it; commas separate pairs. */
const PAIR = /\s*([^=,]+)=("[^"]*"|[^,]*)(?:,|$)/;

/** The sources of each field that a user names. */
export type NamedSources = ReadonlyMap<string, readonly CellSource[]>;

/**
 * Reads `eventName=type,userId=uid` of `--map`, after those of the flags before it. A name may have several
 * sources.
 */
export function parseMap(text: string, before?: NamedSources): NamedSources {
  const map = new Map(before);
  for (const [name, value] of pairsOf('--map', text)) {
    const source = /^"[^"]*"$/.test(value) ? { constant: value.slice(1, -1) } : value;
    map.set(name, [...(map.get(name) ?? []), source]);
  }
  return map;
}

/** Reads `price=number,paid=boolean` of `--types`, after those of the flags before it. */
export function parseTypes(text: string, before?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...(before ?? []), ...pairsOf('--types', text)]);
}

function pairsOf(flag: string, text: string): [string, string][] {
  const pairs: [string, string][] = [];
  const pattern = new RegExp(PAIR, 'y');
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    const [, name = '', value = ''] = match ?? [];
    if (match === null || value === '')
      throw misuse(`${flag} takes NAME=COLUMN, separated by commas, got "${text}"`);
    pairs.push([name.trim(), value]);
  }
  return pairs;
}

const toFlag = (name: NamedOption) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** How the messages of the command write the options of an import. */
export const FLAG_WORDS: OptionWords = {
  option: toFlag,
  constant: `quoted, for the shell too: 'eventName="order"'`,
};

/** Options as a user types them: `--list data --map eventName=type`. */
export function toFlags(layout: FileLayout): string {
  const pairs = Object.entries(layout.map ?? {}).flatMap(([field, sources]) =>
    [sources].flat().map((source: CellSource) => `${field}=${writeSource(source)}`),
  );
  const types = Object.entries(layout.types ?? {}).map((pair) => pair.join('='));
  const { list, decimal, dateFormat, timeZone, encoding } = layout;
  const values = {
    list,
    map: pairs.join(','),
    types: types.join(','),
    decimal,
    dateFormat,
    timeZone,
    encoding,
  };
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${toFlag(name as NamedOption)} ${quoted(value!)}`)
    .join(' ');
}

const writeSource = (source: CellSource) => (typeof source === 'string' ? source : `"${source.constant}"`);

/** A text as shells take it. */
function quoted(text: string): string {
  return /^[\w=,.?-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
