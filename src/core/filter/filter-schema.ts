import * as z from 'zod';
import { quote } from '../event/text.ts';
import { COMPARISONS, OPERANDS, type ComparisonName, type OperandKind } from './operators.ts';

/** How many comparisons a `filterSet` may hold, nested ones included. */
export const FILTERS_MAX = 100;
/** How deep `anyOf`, `allOf` and `not` may nest. */
export const FILTER_LEVELS_MAX = 10;
/** How many values `IN` and `NOT_IN` take. */
export const IN_VALUES_MAX = 1000;

/** Quotes keys for an error message: the first few, since a body can hold thousands. */
export function quoteKeys(keys: readonly string[]): string {
  return keys.slice(0, QUOTED_KEYS_MAX).map(quote).join(', ') + (keys.length > QUOTED_KEYS_MAX ? ', …' : '');
}
const QUOTED_KEYS_MAX = 3;

/** An object without unknown keys: a typo like `filterset` must not return everything. */
export function strict<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown key ${quoteKeys(issue.keys)}; use one of ${Object.keys(shape).join(', ')}`
        : 'takes an object',
  });
}

const scalarSchema = z.union([z.string(), z.number(), z.boolean()]);

const operandSchemas = {
  scalar: scalarSchema,
  ordered: z.union([z.number(), z.string()]),
  text: z.string(),
  list: z.array(scalarSchema).max(IN_VALUES_MAX),
  none: z.null(),
} as const satisfies Record<OperandKind, z.ZodType>;

function namesTaking(operand: OperandKind): ComparisonName[] {
  return (Object.keys(COMPARISONS) as ComparisonName[]).filter(
    (name) => COMPARISONS[name].operand === operand,
  );
}

function comparisonSchema<Kind extends OperandKind>(operand: Kind) {
  return strict({
    property: z.string('takes a property path such as eventName or properties.plan'),
    comparison: z.enum(namesTaking(operand)),
    value: operandSchemas[operand],
  });
}

const filterSchema = z.discriminatedUnion(
  'comparison',
  [
    comparisonSchema('scalar'),
    comparisonSchema('ordered'),
    comparisonSchema('text'),
    comparisonSchema('list'),
    comparisonSchema('none'),
  ],
  { error: 'takes a filter: {"property": …, "comparison": …, "value": …}, or one of anyOf, allOf, not' },
);

/** An entry of `filterSet`: a comparison, or a group of entries, which extends the spec. */
export type FilterEntry =
  z.output<typeof filterSchema> | { anyOf: FilterEntry[] } | { allOf: FilterEntry[] } | { not: FilterEntry };

/** The entries of a `filterSet`. */
export const entriesSchema: z.ZodType<FilterEntry[], FilterEntry[]> = z.lazy(() =>
  z.array(entrySchema, 'takes an array of filters'),
);
const anyOfSchema = strict({ anyOf: entriesSchema });
const allOfSchema = strict({ allOf: entriesSchema });
const notSchema = strict({ not: z.lazy((): z.ZodType<FilterEntry, FilterEntry> => entrySchema) });
/** One entry of a `filterSet`. */
export const entrySchema: z.ZodType<FilterEntry, FilterEntry> = z
  .union([filterSchema, anyOfSchema, allOfSchema, notSchema])
  .meta({ id: 'FilterEntry' });

/** The keys that tell the groups apart from a comparison, in the order of the branches of an entry. */
export const ENTRY_BRANCH_KEYS = ['comparison', 'anyOf', 'allOf', 'not'] as const;

/** What a comparison takes as its `value`, in words; undefined for a name that is no comparison. */
export function operandOf(comparison: unknown): string | undefined {
  if (typeof comparison !== 'string' || !Object.hasOwn(COMPARISONS, comparison)) return undefined;
  return OPERANDS[COMPARISONS[comparison as ComparisonName].operand];
}
