import { ApiError, invalid } from '../base/errors.ts';
import { describeValue, quote } from '../event/text.ts';
import { comparisonOf, COMPARISONS } from '../filter/filter.ts';
import { OPERAND_KINDS } from '../filter/operands.ts';
import { ENTRY_BRANCH_KEYS, findingsOf, type BodyName, type Finding } from './findings.ts';

/**
 * Explains why a validator refused a body, by the finding that helps most: an unknown key often explains a
 * missing one.
 */
export function explain(name: BodyName, body: unknown): ApiError {
  const findings = findingsOf(name, body);
  const date = findings.find(
    ({ path }) => path.length === 1 && (path[0] === 'after' || path[0] === 'before'),
  );
  const finding = findings.find(({ unknownKeys }) => unknownKeys !== undefined) ?? date ?? findings[0];
  if (finding === undefined) return invalid('body', 'has the wrong shape');
  if (finding === date) return new ApiError('invalidDate');
  const where = toWhere(finding.path);
  if (finding.unknownKeys === undefined) return invalid(where, explainValue(finding, body));
  return invalid(where, `unknown key ${quoteKeys(finding.unknownKeys)}; ${finding.takes}`);
}

/** Quotes the first few keys for an error message, since a body can hold thousands. */
export function quoteKeys(keys: readonly string[]): string {
  return keys.slice(0, QUOTED_KEYS_MAX).map(quote).join(', ') + (keys.length > QUOTED_KEYS_MAX ? ', …' : '');
}
const QUOTED_KEYS_MAX = 3;

/** The value at a path into another one; undefined where there is none. */
export function valueIn(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

function explainValue({ path, takes: expected }: Finding, body: unknown): string {
  const value = valueIn(body, path);
  const inFilter = path[0] === 'filterSet';
  if (inFilter && path.at(-1) === 'comparison') {
    const names = Object.keys(COMPARISONS).join(', ');
    const strange = value === undefined ? strangeKeys(valueIn(body, path.slice(0, -1))) : '';
    if (strange !== '') return `is missing beside the unknown key ${strange}; use one of ${names}`;
    if (typeof value === 'string') return `unknown operator ${quote(value)}; use one of ${names}`;
    return `takes one of ${names}, got ${describeValue(value)}`;
  }
  // Only elements of a list lie below a filter's `value`.
  const at = path.lastIndexOf('value');
  if (inFilter && at !== -1) {
    const filter = valueIn(body, path.slice(0, at)) as { comparison?: unknown } | undefined;
    const comparison = comparisonOf(filter?.comparison);
    const takes = comparison === undefined ? 'another value' : OPERAND_KINDS[comparison.takes].words;
    const got =
      Array.isArray(value) && value.length > 0 ? `an array of ${value.length}` : describeValue(value);
    return `${String(filter?.comparison)} takes ${takes}, got ${got}`;
  }
  return `${expected}, got ${describeValue(value)}`;
}

/** The unknown keys of a filter without a comparison: `operator`, or `anyof`. */
function strangeKeys(entry: unknown): string {
  const known: readonly string[] = ['property', 'value', ...ENTRY_BRANCH_KEYS];
  const keys = typeof entry === 'object' && entry !== null ? Object.keys(entry) : [];
  return quoteKeys(keys.filter((key) => !known.includes(key)));
}

/** Writes a path into a body the way people do, `filterSet[1].comparison`; `root` names the whole. */
export function toWhere(path: readonly PropertyKey[], root = 'body'): string {
  if (path.length === 0) return root;
  return path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${String(step)}`))
    .join('');
}
