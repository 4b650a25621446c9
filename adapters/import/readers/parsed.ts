import { invalid, isApiError } from '../../../src/index.ts';
import { parseJsonLine } from '../../../src/internal.ts';
import type { SourceRecord } from './records.ts';
import type { FileLine } from './lines.ts';

/**
 * Parses texts one by one. A blank text gives undefined; one that cannot be read an ApiError, which calls it
 * what `unit` says. `parse` gives an ApiError for a text that is none of its own.
 */
export async function* toParsed(
  texts: AsyncIterable<FileLine>,
  unit: 'line' | 'item',
  parse: (text: string) => unknown,
): AsyncGenerator<SourceRecord> {
  for await (const text of texts) {
    const { number, bytes } = text;
    if ('problem' in text) yield { number, bytes, value: invalid('event', `its ${unit} ${text.problem}`) };
    else yield { number, bytes, value: text.text.trim() === '' ? undefined : parse(text.text) };
  }
}

/** The value of a line of JSON; an ApiError for a line that holds none. */
export function parseLine(line: string): unknown {
  const value = parseJsonLine(line);
  const text = isApiError(value) ? line.trimEnd() : '';
  if (!text.endsWith(',') || isApiError(parseJsonLine(text.slice(0, -1)))) return value;
  const remedy = 'put [ before the first line and ] behind the last, and the file is an array';
  return invalid('event', `its line ends with a comma, and lines of JSON have none between them: ${remedy}`);
}
