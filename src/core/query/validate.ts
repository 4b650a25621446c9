import { Ajv, type ValidateFunction } from 'ajv';
import * as z from 'zod';
import { ApiError, invalid } from '../errors.ts';
import { describeValue, quote } from '../event/text.ts';
import { ENTRY_BRANCH_KEYS, quoteKeys } from '../filter/filter-schema.ts';
import { OPERAND_WORDS } from '../filter/operands.ts';
import { comparisonOf, COMPARISONS } from '../filter/operators.ts';

/**
 * Deeper than any body within the limits can be (10 levels of groups are 20 of JSON, with the body, the
 * filter and an IN list around them). Checked before the validators run, because they recurse and a stack has
 * an end.
 */
const BODY_DEPTH_MAX = 32;
/**
 * More objects and entries than any body within the limits has: 100 filters, each below 9 groups of its own,
 * are 2,002. Checked before the validators run, because the explanation of each wrong part takes them long,
 * and a refusal costs the caller nothing.
 */
const BODY_PARTS_MAX = 2048;

/**
 * Returns the body when it has the shape; throws ApiError (400) that says where it has not and what would be
 * right.
 */
export type Validator<T> = (body: unknown) => T;

/**
 * Makes the validator of one body. The zod schema is the one description: ajv compiles its JSON Schema for
 * the hot path, and zod, which knows how to explain, judges whatever ajv refuses. Where code generation is
 * forbidden (Workers, a content security policy) zod does both.
 */
export function createValidator<T>(schema: z.ZodType<T>): Validator<T> {
  let accepts: ((body: unknown) => boolean) | undefined;
  return (body) => {
    checkBounds(body, BODY_DEPTH_MAX, { partsLeft: BODY_PARTS_MAX });
    accepts ??= compileAcceptor(schema);
    if (accepts(body)) return body as T;
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    throw explain(result.error.issues, body);
  };
}

/** The JSON Schema (draft 7) of a body. */
export function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}

function compileAcceptor(schema: z.ZodType): (body: unknown) => boolean {
  try {
    // JSON has no infinities, but `1e400` is read as one, and zod refuses it. What ajv has to say when code
    // may not be generated would only clutter an embedding program's output.
    const ajv = new Ajv({ strict: false, strictNumbers: true, validateFormats: false, logger: false });
    const validate: ValidateFunction = ajv.compile(toJsonSchema(schema));
    return (body) => validate(body);
  } catch {
    // Code generation is forbidden here: every body takes the slower way through zod, with the same result.
    return () => false;
  }
}

/** Throws ApiError (400) for what no validator should see. Recurses no deeper than `depthLeft`. */
function checkBounds(value: unknown, depthLeft: number, budget: { partsLeft: number }, key = ''): void {
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw invalid('body', 'nests too deep: filters take at most 10 levels');
  if (!Array.isArray(value)) {
    takePart(budget);
    for (const name in value) {
      checkBounds((value as Record<string, unknown>)[name], depthLeft - 1, budget, name);
    }
    return;
  }
  for (const element of value) {
    // The operands of a list are cheap: they are counted, not explained one by one.
    if (key !== 'value') takePart(budget);
    checkBounds(element, depthLeft - 1, budget);
  }
}

function takePart(budget: { partsLeft: number }): void {
  budget.partsLeft -= 1;
  if (budget.partsLeft < 0)
    throw invalid('body', 'has too many parts: a filterSet takes at most 100 filters');
}

interface Finding {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly unknownKey: boolean;
}

/** Follows an issue into the branch of the union that its input was meant for. */
function toFindings(issue: z.core.$ZodIssue, path: readonly PropertyKey[], body: unknown): Finding[] {
  const here = [...path, ...issue.path];
  const input = valueIn(body, here);
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branch = branchOf(input);
    const inner = issue.errors[branch];
    if (inner !== undefined && issue.errors.length === ENTRY_BRANCH_KEYS.length) {
      return inner.flatMap((nested) => toFindings(nested, here, body));
    }
  }
  return [{ path: here, message: issue.message, unknownKey: issue.code === 'unrecognized_keys' }];
}

function branchOf(entry: unknown): number {
  if (typeof entry !== 'object' || entry === null) return 0;
  const branch = ENTRY_BRANCH_KEYS.findIndex((key) => Object.hasOwn(entry, key));
  return Math.max(branch, 0);
}

function valueIn(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

/** Turns what zod found into the one message that helps most: an unknown key explains a missing one. */
function explain(issues: readonly z.core.$ZodIssue[], body: unknown): ApiError {
  const findings = issues.flatMap((issue) => toFindings(issue, [], body));
  const date = findings.find(
    ({ path }) => path.length === 1 && (path[0] === 'after' || path[0] === 'before'),
  );
  const finding = findings.find(({ unknownKey }) => unknownKey) ?? date ?? findings[0];
  if (finding === undefined) return invalid('body', 'has the wrong shape');
  if (finding === date) return new ApiError('invalidDate');
  const where = toWhere(finding.path);
  if (finding.unknownKey) return invalid(where, finding.message);
  return invalid(where, explainValue(finding, body));
}

function explainValue({ path, message }: Finding, body: unknown): string {
  const value = valueIn(body, path);
  const inFilter = path[0] === 'filterSet';
  if (inFilter && path.at(-1) === 'comparison') {
    const names = Object.keys(COMPARISONS).join(', ');
    const strange = value === undefined ? strangeKeys(valueIn(body, path.slice(0, -1))) : '';
    if (strange !== '') return `is missing beside the unknown key ${strange}; use one of ${names}`;
    if (typeof value === 'string') return `unknown operator ${quote(value)}; use one of ${names}`;
    return `takes one of ${names}, got ${describeValue(value)}`;
  }
  // Below a filter's `value` lie only the elements of a list.
  const at = path.lastIndexOf('value');
  if (inFilter && at !== -1) {
    const filter = valueIn(body, path.slice(0, at)) as { comparison?: unknown } | undefined;
    const comparison = comparisonOf(filter?.comparison);
    const takes = comparison === undefined ? 'another value' : OPERAND_WORDS[comparison.takes];
    const got =
      Array.isArray(value) && value.length > 0 ? `an array of ${value.length}` : describeValue(value);
    return `${String(filter?.comparison)} takes ${takes}, got ${got}`;
  }
  return `${message}, got ${describeValue(value)}`;
}

/** The keys of a filter without a comparison that are no keys of a filter: `operator`, or `anyof`. */
function strangeKeys(entry: unknown): string {
  const known: readonly string[] = ['property', 'value', ...ENTRY_BRANCH_KEYS];
  const keys = typeof entry === 'object' && entry !== null ? Object.keys(entry) : [];
  return quoteKeys(keys.filter((key) => !known.includes(key)));
}

/** Writes a way into a body as people write it: `filterSet[1].comparison`. */
function toWhere(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'body';
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${String(step)}`))
    .join('');
}
