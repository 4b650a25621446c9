import { invalid } from '../../../../src/index.ts';
import { parseJsonLine } from '../../../../src/internal.ts';
import type { SourceRecord } from './records.ts';
import type { FileLine } from './lines.ts';

/**
 * Parses texts as JSON, one by one. A blank text gives undefined; a bad one an ApiError, which calls it
 * what `unit` says.
 */
export async function* toJsonValues(
  texts: AsyncIterable<FileLine>,
  unit: 'line' | 'item',
): AsyncGenerator<SourceRecord> {
  for await (const text of texts) {
    const { number, bytes } = text;
    yield { number, bytes, value: parseText(text, unit) };
  }
}

function parseText(text: FileLine, unit: string): unknown {
  if ('problem' in text) return invalid('event', `its ${unit} ${text.problem}`);
  return text.text.trim() === '' ? undefined : parseJsonLine(text.text);
}
