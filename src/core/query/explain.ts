import type * as z from 'zod';
import { ApiError, invalid } from '../errors.ts';
import { describeValue, quote } from '../event/text.ts';
import { ENTRY_BRANCH_KEYS, quoteKeys } from '../filter/filter-schema.ts';
import { OPERAND_WORDS } from '../filter/operands.ts';
import { comparisonOf, COMPARISONS } from '../filter/filter.ts';

/** Turns what zod found into the one message that helps most: an unknown key explains a missing one. */
export function explain(issues: readonly z.core.$ZodIssue[], body: unknown): ApiError {
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

/** One thing that is wrong with a body, and where. */
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
