import type { Scalar } from '../filter/operands.ts';

/** How many paths a tenant may have; the paths of each event name count separately. */
export const PATHS_MAX = 10_000;

/** How many examples are returned for a path. */
export const EXAMPLES_MAX = 3;
/** The maximum length of an example, in UTF-16 units. */
export const EXAMPLE_LENGTH_MAX = 256;

/** The maximum total length of a tenant's paths and examples, in UTF-16 units. */
export const PROPERTIES_LENGTH_MAX = 4_194_304;

/** The types of JSON values, in the order in which answers name them. */
export const JSON_TYPES = ['string', 'number', 'boolean', 'null', 'array', 'object'] as const;

/** The type of a JSON value. */
export type JsonType = (typeof JSON_TYPES)[number];

/** The values of events at one path. */
export interface Property {
  /** The path as filters name it. */
  readonly path: string;
  /** How many events have each type there; types without events are omitted. */
  readonly types: Readonly<Partial<Record<JsonType, number>>>;
  /**
   * How many of the objects there have content that no path below describes: objects without a key, and
   * objects with a key that no filter can name. Omitted if there are none.
   */
  readonly rest?: number;
  /**
   * How many of the arrays there hold an object. No path describes what is in it, because filters do not look
   * into arrays. Omitted if there are none.
   */
  readonly arraysOfObjects?: number;
  /**
   * At most three distinct values of events. Long strings are omitted, and all examples if there is no room
   * for them.
   */
  readonly examples: readonly Scalar[];
}

/** The properties of a tenant's events. */
export interface Properties {
  /** By path, ascending by code point. */
  readonly properties: readonly Property[];
  /** Whether there are more paths than are kept: 10,000 per tenant, counted by event name, or 4 MiB. */
  readonly more: boolean;
  /** How many events have a top-level key that no filter can name; omitted if there are none. */
  readonly rest?: number;
}
