import { invalid } from '../base/errors.ts';
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
