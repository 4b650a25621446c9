import { invalid } from '../base/errors.ts';
import { describeValue } from '../event/text.ts';
import { quoteKeys, toWhere, valueIn } from './explain.ts';
import { findingsIn, type BodySchema, type BodySchemas } from './findings.ts';

/**
 * Returns a value that is as its schema describes it. `root` is what a refusal calls the whole value, and
 * `base` where it stands in another one. Throws ApiError (400) that says where it is not as described, and
 * what would be right.
 */
export function readAs(
  schema: BodySchema,
  value: unknown,
  schemas: BodySchemas,
  { root = 'body', base = [] }: { readonly root?: string; readonly base?: readonly string[] } = {},
): unknown {
  const findings = findingsIn(schema, value, schemas);
  // A field that is misspelt often explains why another one is missing.
  const finding = findings.find(({ unknownKeys }) => unknownKeys !== undefined) ?? findings[0];
  if (finding === undefined) return value;
  const where = toWhere([...base, ...finding.path], root);
  if (finding.unknownKeys !== undefined)
    throw invalid(where, `unknown field ${quoteKeys(finding.unknownKeys)}; ${finding.takes}`);
  throw invalid(where, `${finding.takes}, got ${describeGot(valueIn(value, finding.path))}`);
}

/** Of a long text its length says more than its beginning. */
function describeGot(value: unknown): string {
  const isLong = typeof value === 'string' && value.length > LONG_TEXT;
  return isLong ? `${value.length} characters` : describeValue(value);
}
const LONG_TEXT = 60;
