import { misuse } from '../process/errors.ts';
import { CELL_TYPES, type CellSource, type CellSources, type CellType } from '../import/mappings/csv.ts';

/** A name before `=`, and a column or a text in quotes after it; commas separate pairs. */
const PAIR = /\s*([^=,]+)=("[^"]*"|[^,]*)(?:,|$)/;

/**
 * Reads `eventName=type,userId=uid` of `--map`, after those of the flags before it. A name may have several
 * sources.
 */
export function parseMap(text: string, before?: CellSources): Map<string, CellSource[]> {
  const map = new Map([...(before ?? [])].map(([name, sources]) => [name, [...sources]]));
  for (const [name, value] of pairsOf('--map', text)) {
    const source = /^"[^"]*"$/.test(value) ? { constant: value.slice(1, -1) } : { column: value };
    map.set(name, [...(map.get(name) ?? []), source]);
  }
  return map;
}

/** Reads `price=number,paid=boolean` of `--types`, after those of the flags before it. */
export function parseTypes(text: string, before?: ReadonlyMap<string, CellType>): Map<string, CellType> {
  const types = new Map(before);
  for (const [column, value] of pairsOf('--types', text)) {
    const type = CELL_TYPES.find((each) => each === value);
    if (type === undefined)
      throw misuse(`--types takes ${CELL_TYPES.join(', ')}, got "${value}" for ${column}`);
    types.set(column, type);
  }
  return types;
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
