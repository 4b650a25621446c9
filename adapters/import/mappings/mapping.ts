import type { JsonObject } from '../../../src/index.ts';

/**
 * How records of another tool become events: a table. A path names keys separated by dots; of several paths
 * the first one that holds a value counts.
 */
export interface Mapping {
  /** What a record is, for people: `a line of a Mixpanel export`. */
  readonly title: string;
  /** Whether a record looks like one of these. */
  readonly fits: (record: JsonObject) => boolean;
  /** Brings a record into the shape that the paths below name; without it, it has that shape. */
  readonly prepare?: (record: JsonObject) => JsonObject;
  /** What people call a path that `prepare` makes. */
  readonly words?: Readonly<Record<string, string>>;
  readonly eventName: readonly string[];
  /** A record without any of these is an event of `anonymous`. */
  readonly userId: readonly string[];
  readonly eventTs: readonly string[];
  /** The zone of times that are written without one; without it, such times need `timeZone`. */
  readonly zone?: 'UTC';
  readonly insertId: IdentityRule;
  readonly properties: PropertiesRule;
}

/** What identifies a record, beside its time. */
export type IdentityRule =
  /** The values of these paths, joined by a dash. A record without the first one is known by all of it. */
  | { readonly kind: 'id'; readonly from: readonly string[] }
  /** A hash of these paths. A record without the path `needs` is known by all of it. */
  | {
      readonly kind: 'hash';
      readonly prefix: string;
      readonly from: readonly string[];
      readonly needs: string;
    }
  /** A hash of these paths, and how many equal ones came before: nothing else tells such records apart. */
  | { readonly kind: 'counted'; readonly prefix: string; readonly from: readonly string[] };

/** Which part of a record becomes properties. */
export interface PropertiesRule {
  /** Top-level keys whose objects are the properties. */
  readonly spread: readonly string[];
  /** Keys of these objects that fields of the event are made of; one stays as those of `fields` do. */
  readonly without?: readonly string[];
  /** Top-level keys that become a property each, under another name or their own. */
  readonly keep?: Readonly<Record<string, string>>;
  /**
   * Top-level keys that fields of the event are made of. One stays where the event does not hold its value: a
   * time finer than a millisecond, an id that is too long, a name where another one counts.
   */
  readonly fields: readonly string[];
  /** Top-level keys that `prepare` made, or whose values it has put elsewhere. */
  readonly drop?: readonly string[];
  /** The property that holds all other top-level keys. */
  readonly rest: string;
}
