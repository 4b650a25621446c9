import { isApiError, type JsonObject } from '../../../src/index.ts';
import { isJsonObject, parseJsonLine } from '../../../src/internal.ts';

/** The object that a text of JSON writes; undefined for a text that writes none. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJsonLine(text);
  return isJsonObject(value) && !isApiError(value) ? value : undefined;
}
