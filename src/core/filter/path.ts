import { invalid } from '../base/errors.ts';
import { isStorableText, quote } from '../event/text.ts';

/** The fields that every event has, as filters name them. */
export const EVENT_FIELDS = ['eventName', 'userId', 'eventTs', 'eventDate', 'insertId'] as const;
/** The name of a field that every event has. */
export type EventField = (typeof EVENT_FIELDS)[number];
/** The fields that stores keep: `eventDate` follows from `eventTs`, and below parsing nobody knows it. */
export type StoredField = Exclude<EventField, 'eventDate'>;

/** How many units of UTF-16 the text of a path may have. */
export const PATH_LENGTH_MAX = 1024;
const PATH_SEGMENTS_MAX = 32;

/** Where to look: a field of the event, or a key below `properties`, one segment for each level. */
export interface Path<Root extends EventField | 'properties' = StoredField | 'properties'> {
  /** The field of the event, or `properties`. */
  readonly root: Root;
  /** The keys below `properties`, unescaped; empty for an event field. */
  readonly segments: readonly string[];
}

/** A path as filters write it. */
export type FilterPath = Path<EventField | 'properties'>;

/**
 * Reads a property path. Segments are separated by dots; `\.` is a dot and `\\` a backslash within a key.
 * Throws ApiError (400) that names `where` for an empty segment, an unknown root, more than 32 segments or
 * 1,024 characters, or a backslash before anything else.
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

/** A path below `properties`, or these themselves, with its text. */
export interface NamedPath {
  /** As filters name it. */
  readonly path: string;
  /** Its keys below `properties`, as events have them. */
  readonly segments: readonly string[];
}

/** Whether a filter can name a key below a path: within the bounds, and not an empty one. */
export function isAskable({ path, segments }: NamedPath, key: string): boolean {
  if (key === '' || segments.length + 2 > PATH_SEGMENTS_MAX) return false;
  const room = PATH_LENGTH_MAX - path.length - 1;
  // A key that is too long as it stands need not be looked through.
  return key.length <= room && escaped(key).length <= room;
}

/** Writes a path so that `parsePath` reads the same path again; equal paths have equal texts. */
export function pathText(path: FilterPath): string {
  return [path.root, ...path.segments.map(escaped)].join('.');
}

function escaped(segment: string): string {
  // Most have nothing to escape, and to see that takes a tenth of what the pattern does.
  if (!segment.includes('.') && !segment.includes('\\')) return segment;
  return segment.replace(/[\\.]/g, '\\$&');
}
