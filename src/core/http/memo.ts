import { createBoundedMap } from '../base/bounded-map.ts';
import type { Zones } from '../bounds/zones.ts';
import {
  parseBreakdownBody,
  parseCountBody,
  parseExportBody,
  parseQueryBody,
  parseTailBody,
  parseTopBody,
} from '../query/parse-query.ts';
import { parseSequenceBody } from '../query/parse-sequence.ts';
import { parseBody } from './request.ts';

/** How many texts a memo keeps, and how many characters one may have: together they bound its memory. */
const TEXTS_MAX = 256;
const TEXT_LENGTH_MAX = 4096;

/**
 * Makes a parser remember its results for the latest short texts: a dashboard sends the same questions again
 * and again, and parsing a body costs more than counting its events. `parse` has to depend on the text alone,
 * and callers must not change its results. Errors are not remembered.
 */
export function createMemo<T>(parse: (text: string) => T): (text: string) => T {
  const values = createBoundedMap<string, T>(TEXTS_MAX);
  return (text) => (text.length > TEXT_LENGTH_MAX ? parse(text) : values.getOrMake(text, () => parse(text)));
}

/** The parsers of the bodies of questions. */
export type BodyParsers = ReturnType<typeof createBodyParsers>;

/** Makes the parsers, once for all questions, so that those that take the same body share its memo. */
export function createBodyParsers(zones: Zones) {
  const remember = <T>(parse: (body: unknown, zones: Zones) => T) =>
    createMemo((text) => parse(parseBody(text), zones));
  return {
    toPagedQuery: remember(parseQueryBody),
    toEventQuery: remember(parseCountBody),
    toGroupedQuery: remember(parseBreakdownBody),
    toSequence: remember(parseSequenceBody),
    toExportQuery: remember(parseExportBody),
    toRankedQuery: remember(parseTopBody),
    toTailQuery: remember(parseTailBody),
  };
}
