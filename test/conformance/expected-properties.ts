import { compareCodePoints } from '../../src/core/event/text.ts';
import { isAskable, pathText } from '../../src/core/filter/path.ts';
import { toEventView } from '../../src/core/filter/predicate.ts';
import type { Properties } from '../../src/core/query/properties.ts';
import type { JsonObject, JsonValue } from '../../src/index.ts';
import { EXAMPLES_MAX, type StoredEvent } from '../../src/store-kit.ts';
import type { Suite } from './runner.ts';

type Types = Record<string, number>;

interface Held {
  readonly types: Types;
  readonly values: Set<JsonValue>;
  rest: number;
  arraysOfObjects: number;
}

/** How many of some events hold which type at each path, and at none, by the definition. */
export function typesOf(events: readonly StoredEvent[]): { paths: Map<string, Held>; rest: number } {
  const found = new Map<string, Held>();
  const isNamed = (above: readonly string[], key: string) =>
    isAskable({ path: pathText({ root: 'properties', segments: above }), segments: above }, key);
  const visit = (properties: JsonObject, above: readonly string[]): void => {
    for (const [key, value] of Object.entries(properties)) {
      if (!isNamed(above, key)) continue;
      const segments = [...above, key];
      const path = pathText({ root: 'properties', segments });
      const at = found.get(path) ?? { types: {}, values: new Set(), rest: 0, arraysOfObjects: 0 };
      found.set(path, at);
      const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
      at.types[type] = (at.types[type] ?? 0) + 1;
      if (typeof value !== 'object' && String(value).length <= 256) at.values.add(value);
      const within = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
      if (within.some((each) => each !== null && typeof each === 'object' && !Array.isArray(each)))
        at.arraysOfObjects += 1;
      if (type !== 'object') continue;
      const keys = Object.keys(value as JsonObject);
      if (keys.length === 0 || keys.some((below) => !isNamed(segments, below))) at.rest += 1;
      visit(value as JsonObject, segments);
    }
  };
  const views = events.map((event) => toEventView(event).properties);
  for (const properties of views) visit(properties, []);
  const rest = views.filter((properties) => Object.keys(properties).some((key) => !isNamed([], key)));
  return { paths: found, rest: rest.length };
}

/** Compares a whole answer with what some events have: paths, types with their counts, and examples. */
export function compareProperties(
  expect: Suite<unknown>['expect'],
  answer: Properties,
  events: readonly StoredEvent[],
): void {
  const { paths: expected, rest } = typesOf(events);
  expect([answer.more, answer.rest ?? 0]).toEqual([false, rest]);
  const told = answer.properties.map((property) => {
    return [
      property.path,
      Object.entries(property.types).sort(),
      property.rest ?? 0,
      property.arraysOfObjects ?? 0,
    ];
  });
  const right = [...expected].sort(([a], [b]) => compareCodePoints(a, b));
  expect(told).toEqual(
    right.map(([path, { types, rest, arraysOfObjects }]) => {
      return [path, Object.entries(types).sort(), rest, arraysOfObjects];
    }),
  );
  for (const { path, examples } of answer.properties) {
    const values = expected.get(path)!.values;
    expect(examples.length).toEqual(Math.min(EXAMPLES_MAX, values.size));
    expect(examples.filter((example) => !values.has(example))).toEqual([]);
    expect(new Set(examples).size).toEqual(examples.length);
  }
}
