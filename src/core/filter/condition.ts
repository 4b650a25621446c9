import {
  complementRanges,
  intersectRanges,
  type InstantRange,
  uniteRanges,
  withinCalendar,
} from './instants.ts';
import type { OperandOf, Operator } from './operators.ts';
import type { Path } from './path.ts';

/**
 * One comparison of the value at a path with an operand. Only positive operators occur: a negative one is a
 * `NotCondition` around its positive. Comparisons of `eventTs` become a `During` instead; those of
 * `receivedAt`, which may be missing, compare epoch milliseconds.
 */
export type Test<Name extends Operator = Operator> = {
  readonly [Each in Name]: {
    /** The discriminant. */
    readonly kind: 'test';
    /** The path of the value to compare. */
    readonly path: Path<'eventName' | 'userId' | 'insertId' | 'receivedAt' | 'properties'>;
    /** The operator of the comparison. */
    readonly operator: Each;
    /** The operand; `null` for an operator that takes none. */
    readonly operand: OperandOf<Each>;
  };
}[Name];

/**
 * The event's instant lies in one of these ranges, which are ascending, disjoint, non-adjacent and not empty.
 */
export interface During {
  /** The discriminant. */
  readonly kind: 'during';
  /** In epoch milliseconds. */
  readonly ranges: readonly InstantRange[];
}

/** Every condition matches; an empty list matches every event. */
export interface AllConditions {
  /** The discriminant. */
  readonly kind: 'all';
  /** The conditions, all of which must match. */
  readonly of: readonly Condition[];
}

/** At least one condition matches; an empty list matches no event. */
export interface AnyCondition {
  /** The discriminant. */
  readonly kind: 'any';
  /** The conditions, at least one of which must match. */
  readonly of: readonly Condition[];
}

/** The exact complement of a condition. */
export interface NotCondition {
  /** The discriminant. */
  readonly kind: 'not';
  /** The condition that must not match. */
  readonly of: Condition;
}

/** A condition on one field or path of an event. */
export type Atom = Test | During;

/** The condition of a query as plain data, which stores translate and predicates are compiled from. */
export type Condition = AllConditions | AnyCondition | NotCondition | Atom;

/** Matches every event. */
export const EVERYTHING: AllConditions = { kind: 'all', of: [] };
/** Whether a condition matches every event because it has no part. */
export const isEverything = (condition: Condition) => condition.kind === 'all' && condition.of.length === 0;
/** Matches no event. */
const NOTHING: AnyCondition = { kind: 'any', of: [] };

/** The instant lies in one of the ranges, given in any order; each is clipped to the calendar of filters. */
export function toDuring(ranges: readonly InstantRange[]): Condition {
  return simplifyRanges(uniteRanges(ranges.map(withinCalendar)));
}

/** The comparisons and the ranges of time that a condition is made of. */
export function atomsOf(condition: Condition): readonly Atom[] {
  switch (condition.kind) {
    case 'test':
    case 'during':
      return [condition];
    case 'not':
      return atomsOf(condition.of);
    default:
      return condition.of.flatMap(atomsOf);
  }
}

/** All parts match. Simplified: nested groups are flattened, and ranges of time are merged into one part. */
export function toAll(parts: readonly Condition[]): Condition {
  return toConditionGroup('all', parts);
}

/** At least one part matches. Simplified in the same way. */
export function toAny(parts: readonly Condition[]): Condition {
  return toConditionGroup('any', parts);
}

/** The exact complement, without double negation. */
export function toNot(part: Condition): Condition {
  if (part.kind === 'not') return part.of;
  if (part.kind === 'during') return simplifyRanges(complementRanges(part.ranges));
  if (part.kind !== 'test' && part.of.length === 0) return part.kind === 'all' ? NOTHING : EVERYTHING;
  return { kind: 'not', of: part };
}

function toConditionGroup(kind: 'all' | 'any', parts: readonly Condition[]): Condition {
  if (parts.length === 1) return parts[0]!;
  // An empty group of the other kind decides the result: it matches nothing within "all", everything within
  // "any".
  const other = kind === 'all' ? 'any' : 'all';
  const of: Condition[] = [];
  const times: (readonly InstantRange[])[] = [];
  for (const each of parts.some((part) => part.kind === kind) ? spread(kind, parts) : parts) {
    if (each.kind === 'during') times.push(each.ranges);
    else if (each.kind === other && each.of.length === 0) return each;
    else of.push(each);
  }
  if (times.length > 0) {
    const ranges = kind === 'all' ? intersectRanges(times) : uniteRanges(times.flat());
    const time = simplifyRanges(ranges);
    if (time.kind === 'during') of.unshift(time);
    else if (time.kind !== kind) return time;
  }
  return of.length === 1 ? of[0]! : { kind, of };
}

/** The parts, with groups of the given kind replaced by their members. */
function spread(kind: 'all' | 'any', parts: readonly Condition[]): readonly Condition[] {
  return parts.flatMap((part) => (part.kind === kind ? part.of : [part]));
}

function simplifyRanges(ranges: readonly InstantRange[]): Condition {
  const [range] = ranges;
  if (range === undefined) return NOTHING;
  return range.from === -Infinity && range.until === Infinity ? EVERYTHING : { kind: 'during', ranges };
}
