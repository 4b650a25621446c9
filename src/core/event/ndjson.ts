import { invalid } from '../base/errors.ts';
import { refuseRounded } from './exact-json.ts';
import { isTooDeep } from './json-depth.ts';

/**
 * Parses one line of NDJSON. For a line that is not JSON, or has an integer that a double does not hold, it
 * returns an ApiError instead of throwing, so that one bad line is rejected on its own and the others are
 * still processed.
 */
export function parseJsonLine(line: string): unknown {
  if (isTooDeep(line)) return invalid('event', 'nests too deep');
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return invalid('event', 'its line is not valid JSON');
  }
  return refuseRounded(line) ?? value;
}
