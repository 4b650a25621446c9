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
 * `NotCondition` around its positive. Times are never compared so: see `During`.
 */
export type Test<Name extends Operator = Operator> = {
  readonly [Each in Name]: {
    /** What tells it from the other conditions. */
    readonly kind: 'test';
    /** Where the value is that is compared. */
    readonly path: Path<'eventName' | 'userId' | 'insertId' | 'properties'>;
    /** How it is compared. */
    readonly operator: Each;
    /** What it is compared with; `null` for an operator that takes nothing. */
    readonly operand: OperandOf<Each>;
  };
}[Name];

/** The event's instant lies in one of these ranges, which ascend, lie apart and are not empty. */
export interface During {
  /** What tells it from the other conditions. */
  readonly kind: 'during';
  /** In epoch milliseconds. */
  readonly ranges: readonly InstantRange[];
}

/** Every condition matches; an empty list matches every event. */
export interface AllConditions {
  /** What tells it from the other conditions. */
  readonly kind: 'all';
  /** The conditions of which every one has to match. */
  readonly of: readonly Condition[];
}

/** At least one condition matches; an empty list matches no event. */
export interface AnyCondition {
  /** What tells it from the other conditions. */
  readonly kind: 'any';
  /** The conditions of which at least one has to match. */
  readonly of: readonly Condition[];
}

/** The exact complement. */
export interface NotCondition {
  /** What tells it from the other conditions. */
  readonly kind: 'not';
  /** The condition that must not match. */
  readonly of: Condition;
}

/** What is asked of one place of an event. */
export type Atom = Test | During;

/** What a query asks of each event, as plain data: what stores translate and predicates are compiled from. */
export type Condition = AllConditions | AnyCondition | NotCondition | Atom;

/** Matches every event. */
export const EVERYTHING: AllConditions = { kind: 'all', of: [] };
/** Matches no event. */
const NOTHING: AnyCondition = { kind: 'any', of: [] };

/** One of the ranges, in whatever order they come, each as far as the calendar of filters goes. */
export function toDuring(ranges: readonly InstantRange[]): Condition {
  return simplifyRanges(uniteRanges(ranges.map(withinCalendar)));
}

/** Every part, without what adds nothing: nested groups are spread, and ranges of time become one part. */
export function toAll(parts: readonly Condition[]): Condition {
  return toGroup('all', parts);
}

/** At least one part, simplified alike. */
export function toAny(parts: readonly Condition[]): Condition {
  return toGroup('any', parts);
}

/** The exact complement, without doubled negation. */
export function toNot(part: Condition): Condition {
  if (part.kind === 'not') return part.of;
  if (part.kind === 'during') return simplifyRanges(complementRanges(part.ranges));
  if (part.kind !== 'test' && part.of.length === 0) return part.kind === 'all' ? NOTHING : EVERYTHING;
  return { kind: 'not', of: part };
}

function toGroup(kind: 'all' | 'any', parts: readonly Condition[]): Condition {
  if (parts.length === 1) return parts[0]!;
  // An empty group of the other kind decides: nothing among all, or everything among any.
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

/** The parts, and in the place of groups of a kind what they have. */
function spread(kind: 'all' | 'any', parts: readonly Condition[]): readonly Condition[] {
  return parts.flatMap((part) => (part.kind === kind ? part.of : [part]));
}

function simplifyRanges(ranges: readonly InstantRange[]): Condition {
  const [range] = ranges;
  if (range === undefined) return NOTHING;
  return range.from === -Infinity && range.until === Infinity ? EVERYTHING : { kind: 'during', ranges };
}
