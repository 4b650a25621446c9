import type { Scalar } from '../filter/operands.ts';

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
  /** At most three distinct values that events hold there, long texts left out. */
  readonly examples: readonly Scalar[];
}

/** The properties of a tenant's events. */
export interface Properties {
  /** By path, ascending by code point. */
  readonly properties: readonly Property[];
  /** Whether there are more paths than are kept: 10,000 of a tenant, counted by event name. */
  readonly more: boolean;
}
