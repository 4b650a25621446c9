import { ApiError } from '../errors.ts';

/**
 * Parses one line of NDJSON. A line that is not JSON becomes the ApiError that says so, so that one bad line
 * is rejected by itself and the others go on.
 */
export function parseJsonLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return new ApiError('notJson', 'the line is not valid JSON');
  }
}

/**
 * Parses NDJSON: one value for each line that is not blank, an ApiError in the place of each that is not
 * JSON.
 */
export function parseNdjson(text: string): unknown[] {
  const values: unknown[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() !== '') values.push(parseJsonLine(line));
  }
  return values;
}
