import * as fc from 'fast-check';
import { uniteRanges } from '../../../src/core/filter/instants.ts';
import { compileTest } from '../../../src/core/filter/predicate.ts';
import { OPERATORS } from '../../../src/core/filter/operators.ts';
import type { JsonObject, JsonValue } from '../../../src/index.ts';
import type { Condition, EventView, FoundValue, Operator, Test } from '../../../src/store-kit.ts';
import { operandsOf } from '../../conformance/arbitraries/operands.ts';

/** Keys that prototypes, arrays and texts answer to, beside plain ones: few, so that filters meet events. */
const KEYS = [
  'plan', 'a', 'b', 'a.b', '__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty',
  'length', 'at', 'includes', 'toFixed', '0', '1', '01', ' ', "'", '"', '\\', '`', '${1}', '\u2028', '*/',
  '//', '"];process.exit(1);//', 'é', '😀',
]; // prettier-ignore

const TEXTS = [
  '', 'a', 'ab', 'b', 'A', '5', 'true', 'null', '\uff5e', '😀', '\ue000', '\ud7ff', 'a😀', 'a\uff5e', 'é',
  'e\u0301', '%', '_', '"', "'", '\\', '${operand}', '2024-02-29', '2024-03-01', '`);//',
]; // prettier-ignore

const NUMBERS = [0, -0, 1, -1, 5, 0.1, 2 ** 53, 2 ** 53 + 2, 1e20, -1e300, 5e-324, 86_399_999, 86_400_000];

const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'grapheme', maxLength: 3 }));
const number = fc.oneof(fc.constantFrom(...NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }));
const scalar = fc.oneof(text, number, fc.boolean());
const key = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, fc.string({ maxLength: 2 }));

const { value: json } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.constant(null),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(toJsonObject),
}));

/** As `JSON.parse` makes it: `__proto__` is a key like any other. */
function toJsonObject(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const fields = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return JSON.parse(`{${fields.join(',')}}`) as JsonObject;
}

const instant = fc.oneof(
  fc.constantFrom(0, 86_399_999, 86_400_000, Date.UTC(2024, 1, 29), Date.UTC(2024, 2, 1) - 1),
  fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) - 1 }),
);

export const eventView: fc.Arbitrary<EventView> = fc.record({
  eventName: text,
  userId: text,
  eventTs: instant,
  insertId: text,
  properties: fc.array(fc.tuple(key, json), { maxLength: 6 }).map(toJsonObject),
});

const path: fc.Arbitrary<Test['path']> = fc.oneof(
  fc.constantFrom('eventName', 'userId', 'insertId').map((root) => ({ root, segments: [] })),
  fc
    .array(key, { minLength: 1, maxLength: 4 })
    .map((segments) => ({ root: 'properties' as const, segments })),
);

/** The operands that an operator takes. */
export const operandsFor = (operator: Operator) => operandsOf(OPERATORS[operator].takes, scalar);

const test = fc
  .constantFrom(...(Object.keys(OPERATORS) as Operator[]))
  .chain((operator) =>
    fc
      .tuple(path, operandsFor(operator))
      .map(([at, operand]) => ({ kind: 'test', path: at, operator, operand }) as Test),
  );

const limit = fc.oneof(instant, fc.constantFrom(-Infinity, Infinity));
/** Ranges of time, in any order and of any kind. */
const ranges = fc.array(fc.record({ from: limit, until: limit }), { maxLength: 4 });

/** Conditions of every kind, up to a few levels deep. */
export const { condition } = fc.letrec<{ condition: Condition }>((tie) => {
  const parts = fc.array(tie('condition'), { maxLength: 6 });
  return {
    condition: fc.oneof(
      { depthSize: 'small' },
      test,
      ranges.map((some) => ({ kind: 'during' as const, ranges: uniteRanges(some) })),
      parts.map((of) => ({ kind: 'all' as const, of })),
      parts.map((of) => ({ kind: 'any' as const, of })),
      tie('condition').map((of) => ({ kind: 'not' as const, of })),
    ),
  };
});

/** What a condition says of an event, word by word. */
export function meets(asked: Condition, event: EventView): boolean {
  switch (asked.kind) {
    case 'all':
      return asked.of.every((part) => meets(part, event));
    case 'any':
      return asked.of.some((part) => meets(part, event));
    case 'not':
      return !meets(asked.of, event);
    case 'during':
      return asked.ranges.some(({ from, until }) => event.eventTs >= from && event.eventTs < until);
    case 'test':
      return compileTest(asked)(valueAt(asked.path, event));
  }
}

function valueAt({ root, segments }: Test['path'], event: EventView): FoundValue {
  if (root !== 'properties') return event[root];
  return segments.reduce<FoundValue>((value, key) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && Object.hasOwn(value, key) ? value[key] : undefined;
  }, event.properties);
}
