import { invalid } from '../base/errors.ts';
import {
  isJsonObject,
  toReceivedAt,
  type Includable,
  type JsonObject,
  type JsonValue,
} from '../event/event.ts';
import { toIsoDay, toIsoInstant } from '../event/time.ts';
import type { FoundValue } from '../filter/operators.ts';
import {
  isAskable,
  OWN_FIELDS,
  parsePath,
  pathText,
  type EventField,
  type NamedPath,
} from '../filter/path.ts';
import type { EventView } from '../filter/predicate.ts';
import { PATHS_MAX, type JsonType, type Properties, type Property } from '../query/properties.ts';

/** The entry of a Parquet file that has the paths of its columns, where some have other names. */
export const PATHS_KEY = 'event-query.paths';

/** A column of a table of events: one path and its type. */
export interface FlatColumn {
  /** The path as filters name it; `properties` for top-level keys that no filter can name. */
  readonly path: string;
  /** The JSON types of its values. */
  readonly types: readonly Exclude<JsonType, 'null'>[];
}

/** The value of a cell. */
export type FlatValue = Exclude<FoundValue, null>;

/** Events as a table. */
export interface FlatTable {
  /** The columns, in order: those of fields of an event come first. */
  readonly columns: readonly FlatColumn[];
  /** How many of them are fields of an event. */
  readonly fields: number;
  /**
   * The values of an event, one for each column: a scalar or an array; for an object, its content that no
   * other column holds, or `{}` if it has no keys; undefined for a missing value and for null.
   */
  readonly valuesOf: (event: EventView) => FlatValue[];
}

/** A node of the tree of paths, by which one walk over an event's properties fills all columns. */
interface Node extends NamedPath {
  /** The index of its column, if it has one. */
  column: number | undefined;
  readonly below: Map<string, Node>;
}

/**
 * Lays out events as a table: a column for each field of an event, those that are included among them, then
 * one for each property path whose values the paths below it do not fully describe. All columns together hold
 * the whole event except its nulls. Throws ApiError (400) that names `where` if there are more paths than are
 * kept.
 */
export function toFlatTable(
  { properties, rest, more }: Properties,
  where: string,
  include: readonly Includable[] = [],
): FlatTable {
  if (more) {
    const most = `more than ${PATHS_MAX} property paths, or longer ones than are kept`;
    throw invalid(where, `these events have ${most}; take them as NDJSON`);
  }
  const fields: readonly EventField[] = [...OWN_FIELDS, ...include];
  const columns: FlatColumn[] = fields.map((path) => ({ path, types: ['string'] }));
  const root = createNode([]);
  const addColumn = (node: Node, types: FlatColumn['types']) => {
    node.column = columns.push({ path: node.path, types }) - 1;
  };
  if (rest !== undefined) addColumn(root, ['object']);
  for (const property of properties) {
    const node = nodeAt(root, parsePath(property.path, 'path').segments);
    const types = typesOf(property);
    // A path that only ever held null gets a column too, because it exists.
    if (types.length > 0 || property.types.null !== undefined) addColumn(node, types);
  }
  return {
    columns,
    fields: fields.length,
    valuesOf(event) {
      const values = new Array<FlatValue>(columns.length).fill(undefined);
      fields.forEach((field, i) => (values[i] = fieldOf(event, field)));
      fill(values, root, event.properties);
      return values;
    },
  };
}

function createNode(segments: readonly string[]): Node {
  const path = pathText({ root: 'properties', segments });
  return { path, segments, column: undefined, below: new Map() };
}

function nodeAt(root: Node, segments: readonly string[]): Node {
  let node = root;
  for (const [i, key] of segments.entries()) {
    let next = node.below.get(key);
    if (next === undefined) node.below.set(key, (next = createNode(segments.slice(0, i + 1))));
    node = next;
  }
  return node;
}

/** Writes the content of an object and everything below it into the cells of their columns. */
function fill(values: FlatValue[], node: Node, object: JsonObject): void {
  const keys = Object.keys(object);
  const rest: [string, JsonValue][] = [];
  for (const key of keys) {
    const value = object[key] as JsonValue;
    const below = node.below.get(key);
    if (below === undefined) {
      if (!isAskable(node, key)) rest.push([key, value]);
    } else if (isJsonObject(value)) fill(values, below, value);
    else if (below.column !== undefined) values[below.column] = value ?? undefined;
  }
  if (node.column === undefined) return;
  // Empty cells are enough for an event without properties.
  if (keys.length === 0 && node.segments.length > 0) values[node.column] = object;
  else if (rest.length > 0) values[node.column] = Object.fromEntries(rest);
}

const HELD = ['string', 'number', 'boolean', 'array'] as const;

function typesOf({ types, rest }: Property): FlatColumn['types'] {
  const held = HELD.filter((type) => types[type] !== undefined);
  return rest === undefined ? held : [...held, 'object'];
}

function fieldOf(event: EventView, field: EventField): string | undefined {
  if (field === 'eventTs') return toIsoInstant(event.eventTs);
  if (field === 'receivedAt') return toReceivedAt(event);
  return field === 'eventDate' ? toIsoDay(event.eventTs) : event[field];
}
