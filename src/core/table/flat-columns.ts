import { toIsoDay, toIsoInstant } from '../event/time.ts';
import type { FoundValue } from '../filter/operators.ts';
import { EVENT_FIELDS, parsePath, pathText, type EventField } from '../filter/path.ts';
import { valueBelow, type EventView } from '../filter/predicate.ts';
import type { JsonType, Properties, Property } from '../query/properties.ts';

/** A column of events as a table: one path, and what it holds in each event. */
export interface FlatColumn {
  /** As filters name it. */
  readonly path: string;
  /** The types of JSON that were found there, null and objects left out. */
  readonly types: readonly Exclude<JsonType, 'null' | 'object'>[];
  /** A scalar or an array; `{}` for an object without keys; undefined for nothing, null and other objects. */
  readonly valueOf: (event: EventView) => Exclude<FoundValue, null>;
}

/**
 * Events as a table: a column for each field of an event, then for each property path that holds anything but
 * objects, whose own paths have columns of their own.
 */
export function toFlatColumns({ properties }: Pick<Properties, 'properties'>): readonly FlatColumn[] {
  const known = properties.map((property) => ({ property, segments: segmentsOf(property) }));
  const parents = new Set(
    known.map(({ segments }) => pathText({ root: 'properties', segments: segments.slice(0, -1) })),
  );
  return [
    ...EVENT_FIELDS.map(toFieldColumn),
    ...known.flatMap(({ property: { path, types }, segments }): FlatColumn[] => {
      const held = HELD.filter((type) => types[type] !== undefined);
      // An object that never had a key has no other place.
      if (held.length === 0 && types.null === undefined && parents.has(path)) return [];
      return [{ path, types: held, valueOf: ({ properties }) => toHeld(valueBelow(properties, segments)) }];
    }),
  ];
}

const HELD = ['string', 'number', 'boolean', 'array'] as const;

function segmentsOf({ path }: Property): readonly string[] {
  return parsePath(path, 'path').segments;
}

function toFieldColumn(field: EventField): FlatColumn {
  const valueOf = (event: EventView) => {
    if (field === 'eventTs') return toIsoInstant(event.eventTs);
    return field === 'eventDate' ? toIsoDay(event.eventTs) : event[field];
  };
  return { path: field, types: ['string'], valueOf };
}

function toHeld(value: FoundValue): Exclude<FoundValue, null> {
  if (value === null) return undefined;
  const isObject = typeof value === 'object' && !Array.isArray(value);
  return isObject && Object.keys(value).length > 0 ? undefined : value;
}
