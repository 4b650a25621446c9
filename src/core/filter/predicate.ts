import type { JsonObject, JsonValue, StoredEvent } from '../event/event.ts';
import type { Condition, Test } from './condition.ts';
import { compileInstants } from './instants.ts';
import { rowOf, type FoundValue, type ValueTest } from './operators.ts';

/** The input of a predicate: an event with its properties parsed and its instant in epoch milliseconds. */
export interface EventView {
  /** What happened. */
  readonly eventName: string;
  /** Who did it. */
  readonly userId: string;
  /** When it happened, epoch milliseconds. */
  readonly eventTs: number;
  /** The event's id, which tells events of one instant apart. */
  readonly insertId: string;
  /** Its properties; empty if it has none. */
  readonly properties: JsonObject;
  /** When a server took it in, epoch milliseconds; undefined where it was not recorded. */
  readonly receivedAt?: number | undefined;
}

/** The view of a stored event. */
export function toEventView(stored: StoredEvent): EventView {
  const { eventName, userId, eventTs, insertId, propertiesJson, receivedAt } = stored;
  const properties = JSON.parse(propertiesJson) as JsonObject;
  return { eventName, userId, eventTs, insertId, properties, receivedAt };
}

/**
 * The value at the segments. It follows own keys of objects only: never into an array, never the prototype.
 */
export function valueBelow(properties: JsonObject, segments: readonly string[]): FoundValue {
  let value: JsonValue = properties;
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, segment)) return undefined;
    value = value[segment] as JsonValue;
  }
  return value;
}

/** Whether an event matches. */
export type Predicate = (event: EventView) => boolean;

/** Compiles one comparison to a function of the value at its path. */
export function compileTest({ operator, operand }: Test): ValueTest {
  return rowOf(operator).compile(operand);
}

/** Compiles a condition to nested closures, for environments that forbid code generation. */
export function compileCondition(condition: Condition): Predicate {
  switch (condition.kind) {
    case 'all':
      return (
        condition.of.map(compileCondition).reduceRight<Predicate | undefined>(both, undefined) ?? (() => true)
      );
    case 'any':
      return (
        condition.of.map(compileCondition).reduceRight<Predicate | undefined>(either, undefined) ??
        (() => false)
      );
    case 'not': {
      const part = compileCondition(condition.of);
      return (event) => !part(event);
    }
    case 'during': {
      const holds = compileInstants(condition.ranges);
      return (event) => holds(event.eventTs);
    }
    case 'test':
      return compileRead(condition.path, compileTest(condition));
  }
}

function both(rest: Predicate | undefined, part: Predicate): Predicate {
  return rest === undefined ? part : (event) => part(event) && rest(event);
}

function either(rest: Predicate | undefined, part: Predicate): Predicate {
  return rest === undefined ? part : (event) => part(event) || rest(event);
}

function compileRead({ root, segments }: Test['path'], passes: ValueTest): Predicate {
  if (root !== 'properties') return (event) => passes(event[root]);
  if (segments.some((key) => key in Object.prototype)) {
    return (event) => passes(valueBelow(event.properties, segments));
  }
  // For a key that is not on Object.prototype, a read returns an own value or undefined.
  const [first, ...rest] = segments as [string, ...string[]];
  if (rest.length === 0) return (event) => passes(event.properties[first]);
  return (event) => {
    let value = event.properties[first];
    for (const key of rest) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return passes(undefined);
      value = value[key];
    }
    return passes(value);
  };
}
