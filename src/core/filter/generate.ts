import type { Condition, During, Test } from './condition.ts';
import { compileInstants } from './instants.ts';
import { rowOf } from './operators.ts';
import { compileTest, valueBelow, type Predicate } from './predicate.ts';

/**
 * The source code of a predicate that is being generated. From a filter only keys enter it, through
 * `JSON.stringify`; operands and functions are parameters, which the source refers to by name.
 */
interface SourceDraft {
  readonly bound: unknown[];
  locals: number;
}

/**
 * Compiles a condition to one generated function, which V8 optimises like one written by hand. Throws
 * EvalError where code generation is forbidden.
 */
export function generatePredicate(condition: Condition): Predicate {
  const draft: SourceDraft = { bound: [], locals: 0 };
  const expression = writeCondition(condition, draft);
  const names = draft.bound.map((_, i) => `b${i}`);
  const locals = Array.from({ length: draft.locals }, (_, i) => `v${i}`);
  const declare = locals.length === 0 ? '' : `let ${locals.join(', ')}; `;
  const source = `"use strict"; return function predicate(event) { ${declare}return ${expression}; };`;
  // This file exists to generate code. Where that is forbidden, `compileCondition` is the alternative.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const create = new Function(...names, source) as (...bound: unknown[]) => Predicate;
  return create(...draft.bound);
}

/** Binds a value to a name that the source can refer to. */
function bind(draft: SourceDraft, value: unknown): string {
  draft.bound.push(value);
  return `b${draft.bound.length - 1}`;
}

function writeCondition(condition: Condition, draft: SourceDraft): string {
  switch (condition.kind) {
    case 'all':
      return writeJoined(condition.of, ' && ', 'true', draft);
    case 'any':
      return writeJoined(condition.of, ' || ', 'false', draft);
    case 'not':
      return `!${writeCondition(condition.of, draft)}`;
    case 'during':
      return `(${writeDuring(condition, draft)})`;
    case 'test':
      return `(${writeTest(condition, draft)})`;
  }
}

function writeJoined(parts: readonly Condition[], by: string, empty: string, draft: SourceDraft): string {
  if (parts.length === 0) return empty;
  return `(${parts.map((part) => writeCondition(part, draft)).join(by)})`;
}

function writeDuring({ ranges }: During, draft: SourceDraft): string {
  const [range] = ranges;
  if (range === undefined || ranges.length > 1) {
    return `${bind(draft, compileInstants(ranges))}(event.eventTs)`;
  }
  return `event.eventTs >= ${bind(draft, range.from)} && event.eventTs < ${bind(draft, range.until)}`;
}

function writeTest(test: Test, draft: SourceDraft): string {
  const value = writePath(test.path, draft);
  const found = `v${draft.locals}`;
  const written = rowOf(test.operator).write?.(found, test.operand, (operand) => bind(draft, operand));
  if (written === undefined) return `${bind(draft, compileTest(test))}(${value})`;
  draft.locals += 1;
  return `${found} = ${value}, ${written}`;
}

function writePath({ root, segments }: Test['path'], draft: SourceDraft): string {
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
 * Whether the same is true for every JSON value. Then `?.` alone finds nothing in arrays, strings and
 * numbers, which paths do not enter: these have only the keys of their prototypes, and indexes.
 */
function isOwnOnly(key: string): boolean {
  return !INDEX_PATTERN.test(key) && PROTOTYPES.every((prototype) => !(key in prototype));
}
