import type { Scalar } from '../filter/operands.ts';

/** How many paths a tenant may have, those of each event name counted by themselves. */
export const PATHS_MAX = 10_000;

/** How many examples are told of a path. */
export const EXAMPLES_MAX = 3;
/** How long an example may be, in units of UTF-16. */
export const EXAMPLE_LENGTH_MAX = 256;

/** How long all paths and examples of a tenant may be together, in units of UTF-16. */
export const PROPERTIES_LENGTH_MAX = 4_194_304;

/** The types of JSON values, in the order in which answers name them. */
export const JSON_TYPES = ['string', 'number', 'boolean', 'null', 'array', 'object'] as const;

/** The type of a JSON value. */
export type JsonType = (typeof JSON_TYPES)[number];

/** What events hold at one path. */
export interface Property {
  /** As filters name it. */
  readonly path: string;
  /** How many events hold each type there; types that none holds are left out. */
  readonly types: Readonly<Partial<Record<JsonType, number>>>;
  /**
   * How many of the objects there hold what no path below tells: those without a key, and those with a key
   * that no filter can name. Left out where there is none.
   */
  readonly rest?: number;
  /** At most three distinct values that events hold there, long texts left out, and all for want of room. */
  readonly examples: readonly Scalar[];
}

/** The properties of a tenant's events. */
export interface Properties {
  /** By path, ascending by code point. */
  readonly properties: readonly Property[];
  /** Whether there are more paths than are kept: 10,000 of a tenant, counted by event name, or 4 MiB. */
  readonly more: boolean;
  /** How many events have a first key that no filter can name; left out where there is none. */
  readonly rest?: number;
}
