import { hideCredentials } from '../base/credentials.ts';
import { isJsonObject } from './event.ts';
import { utf8Length } from './text.ts';

/** The types of values: those of JSON, and one for what an embedding program may pass besides. */
export const SHAPE_TYPES = ['string', 'number', 'boolean', 'null', 'array', 'object', 'other'] as const;

/** A value without what it holds. */
export interface ValueShape {
  /** The type of the value. */
  readonly type: (typeof SHAPE_TYPES)[number];
  /** How many UTF-16 code units a string has, elements an array, or keys an object; absent for others. */
  readonly length?: number;
}

/** An event without its values: the keys of the event and of its properties, with types and lengths. */
export interface EventShape extends ValueShape {
  /** The path of the value that was refused; absent where the error is about the whole event. */
  readonly where?: string;
  /** The first keys, those of properties as `properties.KEY`. A long key is cut. */
  readonly fields: readonly (ValueShape & { readonly key: string })[];
  /** How many keys were left out. */
  readonly more: number;
}

/** How many bytes of JSON a shape has at most. */
export const SHAPE_BYTES_MAX = 1024;
/** What the shape has besides its fields, at most: the longest `where`, and the braces and names. */
const FRAME_BYTES = 384;
/** How many characters of a key and of a place are kept. */
const KEY_LENGTH_MAX = 32;
const WHERE_LENGTH_MAX = 64;
/** How many characters of a key are searched for credentials before it is cut. */
const SEARCHED_LENGTH = 512;

/** Describes an event that was refused because of `where`. No value is in the result, in whole or in part. */
export function shapeOf(event: unknown, where?: string): EventShape {
  const fields: (ValueShape & { key: string })[] = [];
  let bytesLeft = SHAPE_BYTES_MAX - FRAME_BYTES;
  let more = 0;
  for (const [prefix, holder] of holdersOf(event)) {
    for (const key of Object.keys(holder)) {
      const field = bytesLeft > 0 && {
        key: prefix + cut(key, KEY_LENGTH_MAX),
        ...valueShapeOf(holder[key]),
      };
      if (field !== false) bytesLeft -= utf8Length(JSON.stringify(field)) + 1;
      // Once a key had no room, none after it is shown: what is shown are the first ones.
      if (field !== false && bytesLeft > 0) fields.push(field);
      else more += 1;
    }
  }
  const place = where === undefined || where === 'event' ? {} : { where: cut(where, WHERE_LENGTH_MAX) };
  return { ...valueShapeOf(event), ...place, fields, more };
}

/** The objects whose keys a shape names: the event, then its properties. */
function holdersOf(event: unknown): [prefix: string, holder: Readonly<Record<string, unknown>>][] {
  if (!isJsonObject(event)) return [];
  const { properties } = event;
  return isJsonObject(properties)
    ? [
        ['', event],
        ['properties.', properties],
      ]
    : [['', event]];
}

function valueShapeOf(value: unknown): ValueShape {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', length: value.length };
  if (typeof value === 'string') return { type: 'string', length: value.length };
  if (typeof value === 'object') return { type: 'object', length: Object.keys(value).length };
  if (typeof value === 'number') return { type: 'number' };
  return { type: typeof value === 'boolean' ? 'boolean' : 'other' };
}

/** A text of a client that fits: without credentials and control characters, and cut. */
function cut(text: string, lengthMax: number): string {
  const shown = hideCredentials(text.slice(0, SEARCHED_LENGTH)).replace(/\p{Cc}/gu, '\uFFFD');
  return (shown.length > lengthMax ? `${shown.slice(0, lengthMax)}…` : shown).toWellFormed();
}
