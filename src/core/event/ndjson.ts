import { invalid } from '../errors.ts';
import { isTooDeep } from './json-depth.ts';

/**
 * Parses one line of NDJSON. A line that is not JSON becomes the ApiError that says so, so that one bad line
 * is rejected by itself and the others go on.
 */
export function parseJsonLine(line: string): unknown {
  if (isTooDeep(line)) return invalid('event', 'nests too deep');
  try {
    return JSON.parse(line);
  } catch {
    return invalid('event', 'its line is not valid JSON');
  }
}

/**
 * Parses NDJSON: one value for each line that is not blank, an ApiError in the place of each that is not
 * JSON. It stops when there are more than `valuesMax`, because a bad line costs more than it weighs: ten
 * megabytes of them would take minutes and gigabytes.
 */
export function parseNdjson(text: string, valuesMax = Infinity): unknown[] {
  const values: unknown[] = [];
  // Line by line: ten million line ends are few bytes, and would be many strings at once.
  for (let from = 0; from < text.length && values.length <= valuesMax;) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end === -1 ? undefined : end);
    if (line.trim() !== '') values.push(parseJsonLine(line));
    from += line.length + 1;
  }
  return values;
}
