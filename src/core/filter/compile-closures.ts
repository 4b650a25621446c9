import { compareCodePoints } from '../event/text.ts';
import { toIsoDay } from '../event/time.ts';
import type { Condition, Operand, Scalar, Test } from './condition.ts';
import { valueBelow, type EventView } from './interpret.ts';
import { OPERATORS, type FoundValue } from './operators.ts';
import type { Path } from './path.ts';
import { BUILT_IN_SEARCH_LENGTH_MAX, compileSubstring } from './substring.ts';

/** Whether an event meets a condition. */
export type Predicate = (event: EventView) => boolean;
/** Whether the value that a path has found passes a test. */
export type ValueTest = (value: FoundValue) => boolean;

/** How many operands of `IN` are compared one by one; more of them go into a set. */
export const IN_COMPARED_MAX = 8;

/**
 * Whether JavaScript's own `<` orders this text against every other by code point. The two orders differ only
 * where both texts have a unit of 0xD800 or more at the first place where they differ: below that a unit is a
 * code point, and stands before every surrogate in both orders.
 */
export function isOrderedByUnits(text: string): boolean {
  return !/[\ud800-\uffff]/.test(text);
}

/** A condition as functions that call each other: for places where code generation is forbidden. */
export function compileClosures(condition: Condition): Predicate {
  switch (condition.kind) {
    case 'all':
      return joinAll(condition.of.map(compileClosures));
    case 'any':
      return joinAny(condition.of.map(compileClosures));
    case 'not': {
      const part = compileClosures(condition.of);
      return (event) => !part(event);
    }
    case 'test':
      return compileRead(condition.path, compileTest(condition));
  }
}

// Two to four parts have functions of their own, because a loop over parts costs as much as a part does.
function joinAll(parts: readonly Predicate[]): Predicate {
  const [a, b, c, d] = parts;
  if (a === undefined) return () => true;
  if (b === undefined) return a;
  if (c === undefined) return (event) => a(event) && b(event);
  if (d === undefined) return (event) => a(event) && b(event) && c(event);
  const rest = joinAll(parts.slice(4));
  if (parts.length === 4) return (event) => a(event) && b(event) && c(event) && d(event);
  return (event) => a(event) && b(event) && c(event) && d(event) && rest(event);
}

function joinAny(parts: readonly Predicate[]): Predicate {
  const [a, b, c, d] = parts;
  if (a === undefined) return () => false;
  if (b === undefined) return a;
  if (c === undefined) return (event) => a(event) || b(event);
  if (d === undefined) return (event) => a(event) || b(event) || c(event);
  const rest = joinAny(parts.slice(4));
  return (event) => a(event) || b(event) || c(event) || d(event) || rest(event);
}

function compileRead({ root, segments }: Path, test: ValueTest): Predicate {
  switch (root) {
    case 'eventName':
      return (event) => test(event.eventName);
    case 'userId':
      return (event) => test(event.userId);
    case 'insertId':
      return (event) => test(event.insertId);
    case 'eventTs':
      return (event) => test(event.eventTs);
    case 'eventDate':
      return (event) => test(toIsoDay(event.eventTs));
    case 'properties':
      return compileWalk(segments, test);
  }
}

function compileWalk(segments: readonly string[], test: ValueTest): Predicate {
  const [first, second] = segments;
  const inherited = segments.some((segment) => segment in Object.prototype);
  if (inherited || first === undefined) return (event) => test(valueBelow(event.properties, segments));
  // No key on the way is on Object.prototype, so that reading one finds an own value or undefined.
  if (second === undefined) return (event) => test(event.properties[first]);
  if (segments.length === 2) return (event) => test(step(event.properties[first], second));
  const rest = segments.slice(2);
  return (event) => {
    let value = step(event.properties[first], second);
    for (const segment of rest) value = step(value, segment);
    return test(value);
  };
}

function step(value: FoundValue, segment: string): FoundValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value[segment] : undefined;
}

/** One comparison as a function of the value that its path has found. */
export function compileTest({ operator, operand }: Test): ValueTest {
  const special =
    typeof operand === 'number'
      ? compileNumberTest(operator, operand)
      : typeof operand === 'string'
        ? compileTextTest(operator, operand)
        : compileOtherTest(operator, operand);
  if (special !== undefined) return special;
  const decide: (value: FoundValue, operand: Operand) => boolean = OPERATORS[operator];
  return (value) => decide(value, operand);
}

function compileNumberTest(operator: Test['operator'], operand: number): ValueTest | undefined {
  switch (operator) {
    case 'EQUALS':
      return (value) => value === operand;
    case 'GREATER_THAN':
      return (value) => typeof value === 'number' && value > operand;
    case 'GREATER_THAN_OR_EQUALS':
      return (value) => typeof value === 'number' && value >= operand;
    case 'LESS_THAN':
      return (value) => typeof value === 'number' && value < operand;
    case 'LESS_THAN_OR_EQUALS':
      return (value) => typeof value === 'number' && value <= operand;
    default:
      return undefined;
  }
}

function compileTextTest(operator: Test['operator'], operand: string): ValueTest | undefined {
  switch (operator) {
    case 'EQUALS':
      return (value) => value === operand;
    case 'CONTAINS':
      return compileContains(operand);
    case 'STARTS_WITH':
      return (value) => typeof value === 'string' && value.startsWith(operand);
    case 'ENDS_WITH':
      return (value) => typeof value === 'string' && value.endsWith(operand);
    default:
      return compileTextOrder(operator, operand);
  }
}

function compileContains(operand: string): ValueTest {
  const hasOperand = compileSubstring(operand);
  return operand.length > BUILT_IN_SEARCH_LENGTH_MAX
    ? (value) =>
        typeof value === 'string' ? hasOperand(value) : Array.isArray(value) && value.includes(operand)
    : (value) =>
        typeof value === 'string' ? value.includes(operand) : Array.isArray(value) && value.includes(operand);
}

function compileTextOrder(operator: Test['operator'], operand: string): ValueTest | undefined {
  const byUnits = isOrderedByUnits(operand);
  const order = compareCodePoints;
  switch (operator) {
    case 'GREATER_THAN':
      if (byUnits) return (value) => typeof value === 'string' && value > operand;
      return (value) => typeof value === 'string' && order(value, operand) > 0;
    case 'GREATER_THAN_OR_EQUALS':
      if (byUnits) return (value) => typeof value === 'string' && value >= operand;
      return (value) => typeof value === 'string' && order(value, operand) >= 0;
    case 'LESS_THAN':
      if (byUnits) return (value) => typeof value === 'string' && value < operand;
      return (value) => typeof value === 'string' && order(value, operand) < 0;
    case 'LESS_THAN_OR_EQUALS':
      if (byUnits) return (value) => typeof value === 'string' && value <= operand;
      return (value) => typeof value === 'string' && order(value, operand) <= 0;
    default:
      return undefined;
  }
}

function compileOtherTest(operator: Test['operator'], operand: Operand): ValueTest | undefined {
  if (operator === 'IS_NOT_NULL') return (value) => value !== undefined && value !== null;
  if (operator === 'EQUALS' && typeof operand === 'boolean') return (value) => value === operand;
  if (operator !== 'IN' || !Array.isArray(operand)) return undefined;
  const operands = operand as readonly Scalar[];
  if (operands.length <= IN_COMPARED_MAX) return (value) => operands.includes(value as Scalar);
  const set = new Set<unknown>(operands);
  return (value) => set.has(value);
}
