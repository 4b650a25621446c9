import { invalid } from '../base/errors.ts';
import { isStorableText, quote } from '../event/text.ts';

/** The fields that every event has, as filters name them. */
export const OWN_FIELDS = ['eventName', 'userId', 'eventTs', 'eventDate', 'insertId'] as const;
/** The fields of an event that filters name; one that was stored long ago has no `receivedAt`. */
export const EVENT_FIELDS = [...OWN_FIELDS, 'receivedAt'] as const;
/** The name of a field of an event. */
export type EventField = (typeof EVENT_FIELDS)[number];
/** The fields that stores keep. `eventDate` is derived from `eventTs`; only the parser knows it. */
export type StoredField = Exclude<EventField, 'eventDate'>;

/** How many UTF-16 units the text of a path may have. */
export const PATH_LENGTH_MAX = 1024;
const PATH_SEGMENTS_MAX = 32;

/** A field of the event, or a key below `properties` with one segment for each level. */
export interface Path<Root extends string = StoredField | 'properties'> {
  /** The field of the event, or `properties`. */
  readonly root: Root;
  /** The keys below `properties`, unescaped; empty for an event field. */
  readonly segments: readonly string[];
}

/** A path as filters write it. */
export type FilterPath = Path<EventField | 'properties'>;

/** The path of the names of events. */
export const EVENT_NAME: Path<'eventName'> = { root: 'eventName', segments: [] };

/**
 * Parses a property path. Dots separate segments; within a key, `\.` is a dot and `\\` a backslash. Throws
 * ApiError (400) that names `where` for an empty segment, an unknown root, more than 32 segments, more than
 * 1,024 characters, or a backslash before any other character.
 */
export function parsePath(text: string, where: string): FilterPath {
  if (text.length > PATH_LENGTH_MAX) {
    throw invalid(where, `a path has at most ${PATH_LENGTH_MAX} characters, got ${text.length}`);
  }
  if (!isStorableText(text)) throw invalid(where, 'must be well-formed Unicode without U+0000');
  const segments = splitPath(text, where);
  const root = segments[0] ?? '';
  if (root === 'properties' && segments.length > 1)
    return checkLength({ root, segments: segments.slice(1) }, where);
  const field = EVENT_FIELDS.find((name) => name === text);
  if (field !== undefined) return { root: field, segments: [] };
  const right = `use ${EVENT_FIELDS.join(', ')} or properties.<key>`;
  throw invalid(where, `unknown property path ${quote(text)}; ${right}`);
}

function splitPath(text: string, where: string): string[] {
  const segments: string[] = [];
  let segment = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === '.') {
      segments.push(segment);
      segment = '';
    } else if (character === '\\') {
      i += 1;
      const escaped = text.charAt(i);
      if (escaped !== '.' && escaped !== '\\') {
        throw invalid(where, `a backslash in a path escapes a dot or a backslash only, in ${quote(text)}`);
      }
      segment += escaped;
    } else {
      segment += character;
    }
  }
  segments.push(segment);
  if (segments.includes('')) throw invalid(where, `the path ${quote(text)} has an empty segment`);
  return segments;
}

function checkLength(path: FilterPath, where: string): FilterPath {
  const length = path.segments.length + 1;
  if (length <= PATH_SEGMENTS_MAX) return path;
  throw invalid(where, `a path has at most ${PATH_SEGMENTS_MAX} segments, got ${length}`);
}

/** A path to `properties` or below, with its text. */
export interface NamedPath {
  /** As filters name it. */
  readonly path: string;
  /** Its unescaped keys below `properties`. */
  readonly segments: readonly string[];
}

/**
 * Whether a filter can name a key below a path: the key is not empty, and the result is within the limits.
 */
export function isAskable({ path, segments }: NamedPath, key: string): boolean {
  if (key === '' || segments.length + 2 > PATH_SEGMENTS_MAX) return false;
  const room = PATH_LENGTH_MAX - path.length - 1;
  // A key that is too long unescaped need not be escaped.
  return key.length <= room && escaped(key).length <= room;
}

/** Writes a path so that `parsePath` reads the same path back; equal paths have equal texts. */
export function pathText(path: Path<string>): string {
  return [path.root, ...path.segments.map(escaped)].join('.');
}

function escaped(segment: string): string {
  // Most segments have nothing to escape, and this check takes a tenth of the time of the pattern.
  if (!segment.includes('.') && !segment.includes('\\')) return segment;
  return segment.replace(/[\\.]/g, '\\$&');
}
