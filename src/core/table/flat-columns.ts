import { invalid } from '../errors.ts';
import type { JsonObject } from '../event/event.ts';
import { toIsoDay, toIsoInstant } from '../event/time.ts';
import type { FoundValue } from '../filter/operators.ts';
import { EVENT_FIELDS, isAskable, parsePath, type EventField, type NamedPath } from '../filter/path.ts';
import { valueBelow, type EventView } from '../filter/predicate.ts';
import { PATHS_MAX, type JsonType, type Properties, type Property } from '../query/properties.ts';

/** A column of events as a table: one path, and what it holds in each event. */
export interface FlatColumn {
  /** As filters name it; `properties` for first keys that no filter can name. */
  readonly path: string;
  /** The types of JSON that it holds. */
  readonly types: readonly Exclude<JsonType, 'null'>[];
  /**
   * A scalar or an array; of an object what no other column holds, and `{}` of one without a key; undefined
   * for nothing and for null.
   */
  readonly valueOf: (event: EventView) => Exclude<FoundValue, null>;
}

/**
 * Events as a table: a column for each field of an event, then for each property path that holds anything
 * beside objects that the paths below it tell. All columns together hold all of an event but its nulls.
 * Throws ApiError (400) that names `where` for more paths than are kept.
 */
export function toFlatColumns({ properties, rest, more }: Properties, where: string): readonly FlatColumn[] {
  if (more) {
    throw invalid(where, `these events have more than ${PATHS_MAX} property paths; take them as NDJSON`);
  }
  return [
    ...EVENT_FIELDS.map(toFieldColumn),
    ...(rest === undefined ? [] : [toColumn({ path: 'properties', segments: [] }, ['object'])]),
    ...properties.flatMap((property): FlatColumn[] => {
      const types = typesOf(property);
      // A path that never held anything but null is a column too: it is there.
      if (types.length === 0 && property.types.null === undefined) return [];
      const { path } = property;
      return [toColumn({ path, segments: parsePath(path, 'path').segments }, types)];
    }),
  ];
}

const HELD = ['string', 'number', 'boolean', 'array'] as const;

function typesOf({ types, rest }: Property): FlatColumn['types'] {
  const held = HELD.filter((type) => types[type] !== undefined);
  return rest === undefined ? held : [...held, 'object'];
}

function toFieldColumn(field: EventField): FlatColumn {
  const valueOf = (event: EventView) => {
    if (field === 'eventTs') return toIsoInstant(event.eventTs);
    return field === 'eventDate' ? toIsoDay(event.eventTs) : event[field];
  };
  return { path: field, types: ['string'], valueOf };
}

function toColumn(place: NamedPath, types: FlatColumn['types']): FlatColumn {
  return {
    path: place.path,
    types,
    valueOf: ({ properties }) => {
      const value = valueBelow(properties, place.segments);
      if (value === null) return undefined;
      return isObject(value) ? restOf(value, place) : value;
    },
  };
}

function isObject(value: FoundValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What of an object no path below it tells. */
function restOf(object: JsonObject, place: NamedPath): JsonObject | undefined {
  const keys = Object.entries(object);
  // An event without properties is told by its empty cells.
  if (keys.length === 0) return place.segments.length === 0 ? undefined : object;
  const rest = keys.filter(([key]) => !isAskable(place, key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
