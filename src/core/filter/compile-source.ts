import { compareCodePoints } from '../event/text.ts';
import type { Condition, Scalar, Test } from './condition.ts';
import { compileTest, IN_COMPARED_MAX, isOrderedByUnits, type Predicate } from './compile-closures.ts';
import { toIsoDay } from '../event/time.ts';
import { valueBelow } from './interpret.ts';
import type { Path } from './path.ts';
import { BUILT_IN_SEARCH_LENGTH_MAX } from './substring.ts';

/**
 * The source of a predicate that is being written. Nothing of a filter gets into it but keys, through
 * `JSON.stringify`: operands and functions are parameters, which the source only names.
 */
interface Draft {
  readonly bound: unknown[];
  locals: number;
}

/**
 * A condition as one generated function, which V8 optimises by itself as it does one written by hand. Throws
 * where code generation is forbidden.
 */
export function compileSource(condition: Condition): Predicate {
  const draft: Draft = { bound: [], locals: 0 };
  const expression = writeCondition(condition, draft);
  const names = draft.bound.map((_, i) => `b${i}`);
  const locals = Array.from({ length: draft.locals }, (_, i) => `v${i}`);
  const declare = locals.length === 0 ? '' : `let ${locals.join(', ')}; `;
  const source = `"use strict"; return function predicate(event) { ${declare}return ${expression}; };`;
  // Generating code is the point of this file; the closures do the same where it is forbidden.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const create = new Function(...names, source) as (...bound: unknown[]) => Predicate;
  return create(...draft.bound);
}

/** Gives a value a name in the source. */
function bind(draft: Draft, value: unknown): string {
  draft.bound.push(value);
  return `b${draft.bound.length - 1}`;
}

function writeCondition(condition: Condition, draft: Draft): string {
  switch (condition.kind) {
    case 'all':
      return writeJoined(condition.of, ' && ', 'true', draft);
    case 'any':
      return writeJoined(condition.of, ' || ', 'false', draft);
    case 'not':
      return `!${writeCondition(condition.of, draft)}`;
    case 'test':
      return `(${writeTest(condition, draft)})`;
  }
}

function writeJoined(parts: readonly Condition[], by: string, empty: string, draft: Draft): string {
  if (parts.length === 0) return empty;
  return `(${parts.map((part) => writeCondition(part, draft)).join(by)})`;
}

/** An expression that is evaluated once, and a name under which its value is read again. */
interface Value {
  readonly first: string;
  readonly again: string;
  /** The type that the value always has, or undefined where the event decides. */
  readonly type: 'string' | 'number' | undefined;
}

function writeValue(path: Path, draft: Draft): Value {
  const expression = writePath(path, draft);
  if (path.root === 'eventTs') return { first: expression, again: expression, type: 'number' };
  if (path.root !== 'properties') return { first: expression, again: expression, type: 'string' };
  const local = `v${draft.locals}`;
  draft.locals += 1;
  return { first: `(${local} = ${expression})`, again: local, type: undefined };
}

function writePath({ root, segments }: Path, draft: Draft): string {
  if (root === 'eventDate') return `${bind(draft, toIsoDay)}(event.eventTs)`;
  if (root !== 'properties') return `event.${root}`;
  const safe = segments.every((segment, i) => (i === 0 ? isOwnOnObjects(segment) : isOwnOnly(segment)));
  if (!safe) return `${bind(draft, valueBelow)}(event.properties, ${bind(draft, segments)})`;
  const [first, ...rest] = segments.map((key) => `[${JSON.stringify(key)}]`);
  return ['event.properties' + first!, ...rest].join('?.');
}

/** Whether an object made by `JSON.parse` has a value under this key only when the key is its own. */
function isOwnOnObjects(key: string): boolean {
  return !(key in Object.prototype);
}

const PROTOTYPES = [Object, Array, String, Number, Boolean].map(({ prototype }) => prototype as object);
const INDEX_PATTERN = /^\d+$/;

/**
 * Whether that holds for every JSON value: then `?.` alone finds nothing in arrays, texts and numbers, which
 * a path does not enter. They answer only to what their prototypes have, and to indexes.
 */
function isOwnOnly(key: string): boolean {
  return !INDEX_PATTERN.test(key) && PROTOTYPES.every((prototype) => !(key in prototype));
}

function writeTest(test: Test, draft: Draft): string {
  const { operator, operand } = test;
  const value = writeValue(test.path, draft);
  if (operator === 'IS_NOT_NULL') return `${value.first} !== undefined && ${value.again} !== null`;
  if (operator === 'EQUALS' && operand !== null && !Array.isArray(operand)) {
    return `${value.first} === ${bind(draft, operand)}`;
  }
  if (operator === 'IN' && Array.isArray(operand)) return writeIn(value, operand as readonly Scalar[], draft);
  const special =
    typeof operand === 'number'
      ? writeNumberTest(test, value, draft)
      : typeof operand === 'string'
        ? writeTextTest(test, value, draft)
        : undefined;
  return special ?? `${bind(draft, compileTest(test))}(${value.first})`;
}

function writeIn(value: Value, operands: readonly Scalar[], draft: Draft): string {
  if (operands.length === 0) return 'false';
  if (operands.length > IN_COMPARED_MAX) return `${bind(draft, new Set(operands))}.has(${value.first})`;
  return operands
    .map((operand, i) => `${i === 0 ? value.first : value.again} === ${bind(draft, operand)}`)
    .join(' || ');
}

const SIGNS: Partial<Record<Test['operator'], string>> = {
  GREATER_THAN: '>',
  GREATER_THAN_OR_EQUALS: '>=',
  LESS_THAN: '<',
  LESS_THAN_OR_EQUALS: '<=',
};

/** Puts the check of a value's type before an expression over it, unless the type is known. */
function guard(value: Value, type: 'string' | 'number', toExpression: (value: string) => string): string {
  if (value.type === type) return toExpression(value.first);
  return `typeof ${value.first} === "${type}" && ${toExpression(value.again)}`;
}

function writeNumberTest({ operator, operand }: Test, value: Value, draft: Draft): string | undefined {
  const sign = SIGNS[operator];
  if (sign === undefined) return undefined;
  return guard(value, 'number', (found) => `${found} ${sign} ${bind(draft, operand)}`);
}

const TEXT_METHODS: Partial<Record<Test['operator'], string>> = {
  CONTAINS: 'includes',
  STARTS_WITH: 'startsWith',
  ENDS_WITH: 'endsWith',
};

function writeTextTest(test: Test, value: Value, draft: Draft): string | undefined {
  const operand = test.operand as string;
  const sign = SIGNS[test.operator];
  if (sign !== undefined) {
    const name = bind(draft, operand);
    if (isOrderedByUnits(operand)) return guard(value, 'string', (found) => `${found} ${sign} ${name}`);
    const order = bind(draft, compareCodePoints);
    return guard(value, 'string', (found) => `${order}(${found}, ${name}) ${sign} 0`);
  }
  const method = TEXT_METHODS[test.operator];
  if (method === undefined) return undefined;
  if (method === 'includes' && operand.length > BUILT_IN_SEARCH_LENGTH_MAX) return undefined;
  const name = bind(draft, operand);
  const inText = guard(value, 'string', (found) => `${found}.${method}(${name})`);
  if (test.operator !== 'CONTAINS' || value.type === 'string') return inText;
  return `(${inText} || Array.isArray(${value.again}) && ${value.again}.includes(${name}))`;
}
