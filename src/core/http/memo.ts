import { createBoundedMap } from '../base/bounded-map.ts';
import type { Zones } from '../bounds/zones.ts';
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

/** Gives the parser of a body's text, which remembers the latest ones: the same for all who name `parse`. */
export type ParserOf = <T>(parse: (body: unknown, zones: Zones) => T) => (text: string) => T;

/** Makes what gives parsers, once for all questions, so that those that take the same body share its memo. */
export function createParsers(zones: Zones): ParserOf {
  const parsers = new Map<unknown, (text: string) => unknown>();
  return <T>(parse: (body: unknown, zones: Zones) => T) => {
    const parser = parsers.get(parse) ?? createMemo((text) => parse(parseBody(text), zones));
    parsers.set(parse, parser);
    return parser as (text: string) => T;
  };
}
